"""The verbs of keyed documents; all writers of one take turns at its lock."""
