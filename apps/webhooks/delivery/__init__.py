"""Deliver what webhooks are to be told: lanes, attempts, and what came of them."""
