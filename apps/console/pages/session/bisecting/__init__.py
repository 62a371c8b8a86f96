"""The page that tells since when something is wrong, by a check or by eye."""
