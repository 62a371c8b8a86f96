"""Compares histories with the notes that the worker signed outside the database."""
