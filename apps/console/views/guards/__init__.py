"""Pages of budgets."""
