"""Begin a session: claim its id and its name, then store it."""
