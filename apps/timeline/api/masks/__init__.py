"""Masks over REST, and reads that mask what they answer."""
