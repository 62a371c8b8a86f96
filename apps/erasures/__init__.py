"""Erasing a person: what would go, what went, and the certificate of it."""
