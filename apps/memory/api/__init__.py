"""Memories over REST: paths and shapes are those that StateBase's clients know."""
