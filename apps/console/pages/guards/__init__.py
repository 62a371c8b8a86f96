"""What pages tell of budgets and of what is used."""
