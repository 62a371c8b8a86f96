"""Backups that make themselves: daily, read back, kept for a while, encrypted."""
