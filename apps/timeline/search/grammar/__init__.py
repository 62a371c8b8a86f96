"""The search language: text to clauses and back, with the place of what is wrong."""
