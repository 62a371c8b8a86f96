"""Keys of an agent's data, as the segment of an address."""

from __future__ import annotations

_DOTS = frozenset({".", ".."})
_ROUTES = frozenset({"batch", "search"})


def segment(key: str) -> str:
    """Return a key as it may stand in an address.

    The server keeps no key that leads elsewhere, and to delete `prefix/a` at its
    address would delete every key that begins with `a`: so nothing is asked.

    Raises: ValueError.
    """
    is_dotted = not _DOTS.isdisjoint(key.split("/"))
    is_route = key in _ROUTES or key.startswith("prefix/")
    if not key or is_dotted or is_route or key.endswith(("/full", "/versions")):
        raise ValueError(f"No data has the key {key!r}: it is an address of its own.")
    return key
