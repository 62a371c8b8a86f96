"""Reads keyed documents: what stands under their keys, and how a restore goes."""
