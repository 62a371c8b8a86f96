"""Heartbeats: sessions that are expected to go on, and are told of when they do not."""
