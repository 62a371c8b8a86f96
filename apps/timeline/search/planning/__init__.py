"""Which index answers a clause of a search, and by which versions it is shown."""
