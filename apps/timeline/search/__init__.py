"""Search: sessions and versions by what they hold, or held, in one query language."""
