"""Erasures over REST."""
