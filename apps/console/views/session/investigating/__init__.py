"""Looking into a session: since when it is wrong."""
