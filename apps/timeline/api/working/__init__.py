"""Tasks and facts of a session over REST."""
