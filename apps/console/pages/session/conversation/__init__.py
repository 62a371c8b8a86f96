"""The conversation of a session: who said what, in which version, oldest first."""
