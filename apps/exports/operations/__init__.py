"""Asking for exports, reading their files, and taking these away."""

from apps.exports.operations.asking import ask
from apps.exports.operations.files import opened, read_piece
from apps.exports.operations.taking import remaining_in, take_pieces

__all__ = ["ask", "opened", "read_piece", "remaining_in", "take_pieces"]
