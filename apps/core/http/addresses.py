"""What may stand in an address where Django has too little room for it."""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import PathConverter


class FilePathConverter(PathConverter):
    """A path with whatever a file's name may hold, also the end of a line."""

    regex = r"[\s\S]+"


register_converter(FilePathConverter, "file_path")

# The route behind that of a version.
FILE = "files/<file_path:path>"
