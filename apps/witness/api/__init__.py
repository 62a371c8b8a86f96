"""Signed roots over REST, and the proof of a session."""
