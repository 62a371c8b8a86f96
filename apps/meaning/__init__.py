"""Meaning: vectors of texts, and which of them are nearest to a question."""
