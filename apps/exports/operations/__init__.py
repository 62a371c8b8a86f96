"""Asking for exports, reading their files, and taking these away."""

from apps.exports.operations.asking import ask
from apps.exports.operations.files import opened, read_piece
from apps.exports.operations.taking import erased_in, take_pieces

__all__ = ["ask", "erased_in", "opened", "read_piece", "take_pieces"]
