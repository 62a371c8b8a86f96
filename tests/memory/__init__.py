"""Memories: added, found, changed, stepped back, and kept apart."""
