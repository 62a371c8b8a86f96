"""Exports: histories as files for other programs."""
