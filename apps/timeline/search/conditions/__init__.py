"""How clauses are answered: by which rows, and where in them."""
