"""Summaries of turns over the API: the routes, and what a context has of them."""
