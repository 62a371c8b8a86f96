"""Where a page of a search ends, and how that is written for whoever goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A session; and in it a version, or how far it is judged.
PLACE_PATTERN = (
    r"(sess_[0-9a-z]{26})"
    r"(?::([0-9]{1,18})|\.([0-9]{1,2})(?:\.([0-9]{1,18}))?)?"
)
_PLACE = re.compile(PLACE_PATTERN, re.ASCII)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the results to go on from: below this session, or version of it.

    With `step` the session itself is not judged yet: the conditions before this one,
    as they judge, are met, and this one by no version from `below` on.
    """

    session_id: str
    number: int | None = None
    step: int | None = None
    below: int | None = None

    def __str__(self) -> str:
        number = "" if self.number is None else f":{self.number}"
        step = "" if self.step is None else f".{self.step}"
        below = "" if self.below is None else f".{self.below}"
        return f"{self.session_id}{number}{step}{below}"


def place_of(written: str) -> Place | None:
    """Return the place that was written so; None: no page ends like this."""
    found = _PLACE.fullmatch(written)
    if found is None:
        return None
    session_id, *rest = found.groups()
    number, step, below = (None if one is None else int(one) for one in rest)
    return Place(session_id, number=number, step=step, below=below)
