"""The demo project: what three agents did in a week."""
