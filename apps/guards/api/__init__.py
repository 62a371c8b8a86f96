"""Budgets over REST, and the price lists that fill in what turns cost."""
