"""How sessions stand in lists: as rows say it, and as a condition of a search."""
