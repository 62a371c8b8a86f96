"""Versions as they are stored: their records, their chain, loading, lineage."""
