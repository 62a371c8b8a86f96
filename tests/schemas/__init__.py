"""Schemas of states, and migrations between them."""
