"""Calls of tools as effects, and interrupts that people answer."""
