"""Conditions on what a session is, and on how it stands."""
