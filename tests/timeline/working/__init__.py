"""Tasks and facts of sessions."""
