"""Schemas of an agent's states and the migrations between them, for administrators."""
