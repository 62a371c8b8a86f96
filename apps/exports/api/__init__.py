"""Exports over REST."""
