"""Checkpoints that nobody asks for: on a schedule, and when a release begins."""
