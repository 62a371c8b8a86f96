"""Checkpoints of an agent's config and data: what a restore would do, and did."""
