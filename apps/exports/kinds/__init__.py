"""The kinds of exports: what the next step of each writes, and as which file."""

from apps.exports.kinds.kinds import FORMATS, PACKED, STEPS, FileFormat, format_of
from apps.exports.kinds.made import Made

__all__ = ["FORMATS", "PACKED", "STEPS", "FileFormat", "Made", "format_of"]
