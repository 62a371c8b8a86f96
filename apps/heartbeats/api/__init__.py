"""The API of heartbeats."""
