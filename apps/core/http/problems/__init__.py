"""How errors are answered: the table of statuses, the body, and where no view ran."""
