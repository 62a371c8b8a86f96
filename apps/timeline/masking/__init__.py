"""Masking of what is shown, never of what is stored; pure."""

from apps.timeline.masking.answers import HIDDEN, Masking
from apps.timeline.masking.readers import MaskedReader, reader_of, readers_of

__all__ = ["HIDDEN", "MaskedReader", "Masking", "reader_of", "readers_of"]
