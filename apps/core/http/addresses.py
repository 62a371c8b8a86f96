"""What may stand in an address where Django has too little room for it."""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import PathConverter


class NameConverter(PathConverter):
    """A name with whatever it may hold: slashes, also the end of a line."""

    regex = r"[\s\S]+"


register_converter(NameConverter, "name")


def named(parameter: str) -> str:
    """Return the part of a route that takes a name.

    `<path:...>` takes none that holds the end of a line: what was stored under it could
    not be read again.
    """
    return f"<name:{parameter}>"


# The route behind that of a version.
FILE = f"files/{named('path')}"
