"""Retention: what goes after which time, what must stay, and what has gone."""
