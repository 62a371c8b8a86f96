"""Bringing notes to the witnesses, and how far behind each is."""
