"""Verifies keyed documents: their versions, what follows, and their records."""
