"""Which bytes of a file a request asks for, by its header `Range`."""

from __future__ import annotations

import re

from apps.core.errors import DomainError
from apps.timeline.queries.files import Span

# Of several ranges, and of units that nobody has, nothing is understood: then the file
# is answered whole, as RFC 9110 has it.
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


class RangeNotSatisfiable(DomainError):
    """The file has no byte in this range."""

    code = "range_not_satisfiable"


def asked_range(header: str | None, size: int) -> Span | None:
    """Return what is asked for; None is the whole file.

    Raises: RangeNotSatisfiable.
    """
    found = _RANGE.fullmatch((header or "").strip())
    if found is None or found[1] == found[2] == "":
        return None
    first, last = found[1], found[2]
    if first and last and int(last) < int(first):
        return None
    start = int(first) if first else max(size - int(last), 0)
    end = min(int(last) + 1, size) if first and last else size
    if start >= end:
        raise RangeNotSatisfiable(
            f"The file has {size:,} bytes.", param="Range", size=size
        )
    return Span(start, end - start)
