"""Retention over REST."""
