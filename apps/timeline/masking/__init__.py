"""Masking of what is shown, never of what is stored; pure."""

from apps.timeline.masking.answers import HIDDEN, Masking

__all__ = ["HIDDEN", "Masking"]
