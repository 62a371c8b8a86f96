"""Decode stored bodies along the deltas that they build on."""
