"""Shared documents as people look at them."""
