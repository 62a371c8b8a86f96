"""The files that a version has: listed, and read in part."""

from apps.timeline.bodies.files import is_file
from apps.timeline.queries.files.reading import (
    Content,
    Span,
    content_of,
    file_at,
    files_shown,
)

__all__ = ["Content", "Span", "content_of", "file_at", "files_shown", "is_file"]
