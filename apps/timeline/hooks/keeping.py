"""What apps above keep of versions, delete beside them, and hold by law.

All are asked under the session's row lock, in the transaction that deletes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

# Given a session's id: versions that have to stay, and why.
Pins = Callable[[str], Mapping[int, str]]
# Given a session's id and the first and last of the versions that go: deletes what the
# app keeps of them, and returns how many rows. Without a last, the session goes.
Part = Callable[[str, int, int | None], int]
# Given a session's id: why it is under a legal hold; None where it is not.
LegalHold = Callable[[str], str | None]

# By the app's name.
PINS: dict[str, Pins] = {}
PARTS: dict[str, Part] = {}
LEGAL_HOLDS: dict[str, LegalHold] = {}


def pinned(session_id: str) -> dict[int, str]:
    """Return the versions that apps above need, each with one reason."""
    found: dict[int, str] = {}
    for pins in PINS.values():
        found |= pins(session_id)
    return found


def delete_parts(session_id: str, first: int, last: int | None) -> int:
    """Delete what apps above keep of these versions; return how many rows."""
    return sum(part(session_id, first, last) for part in PARTS.values())


def legal_hold(session_id: str) -> str | None:
    """Return why the session may lose nothing; None where it may."""
    for hold in LEGAL_HOLDS.values():
        if why := hold(session_id):
            return why
    return None
