"""Memories: what is believed and from where, decisions about it, going back."""
