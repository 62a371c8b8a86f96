"""Moments and time zones as people and programs write them."""
