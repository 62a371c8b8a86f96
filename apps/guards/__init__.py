"""Guards: what keeps agents from going on where they should not; budgets first."""
