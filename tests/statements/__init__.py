"""Which kind each statement on tables of sessions is of, read from its text."""
