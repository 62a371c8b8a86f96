"""What a bisect found, in words: no more than is known."""

from __future__ import annotations

from typing import Any

from apps.checks import Outcome
from apps.console.pages.session import version_text
from apps.timeline.bisect import Bisection, Eyed, Flip, Place

SAYS = {
    Outcome.HOLDS: "holds",
    Outcome.FAILS: "fails",
    Outcome.UNDECIDED: "is undecided",
}
LOOKS = {Outcome.HOLDS: "right", Outcome.FAILS: "wrong"}


def of_check(found: Bisection) -> str:
    bad, good = found.first_bad, found.last_good
    if bad is None and good is None:
        return "Nothing is known: all of these versions are gone"
    if bad is None:
        return "It holds everywhere" if found.is_exact else "No failure was found"
    if good is None:
        return "It never holds" if found.is_exact else "Nowhere was it found to hold"
    if found.last.outcome == Outcome.HOLDS and found.first.outcome == Outcome.FAILS:
        since = _since(found)
        if since is not None:
            return f"It holds since v{since}"
    is_broken = found.first.outcome == Outcome.HOLDS and bad.outcome == Outcome.FAILS
    if found.is_exact and is_broken:
        return f"v{bad.place.number} broke it first"
    return f"v{bad.place.number} is the first that was found not to pass"


def _since(found: Bisection) -> int | None:
    """Return the only version that turned it, where all is known that may have."""
    if not found.is_exact or found.n_flips != 1 or not found.flips:
        return None
    return found.flips[0].version.number


def of_eye(eyed: Eyed) -> str:
    if eyed.middle is not None:
        return f"Is v{eyed.middle} right?"
    if eyed.is_certain:
        return f"v{eyed.bad} broke it first"
    return f"v{eyed.bad} broke it, or one before it that was not judged"


def turned(found: Bisection) -> Place | None:
    """Return the first version that does not pass, if one before it did."""
    bad = found.first_bad
    return bad.place if bad is not None and bad.place != found.first.place else None


def flip(one: Flip, session_id: str) -> dict[str, Any]:
    """Return what is told of a flip on the page of a session."""
    is_here = session_id == one.version.session_id == one.after.session_id
    broke = one.was == Outcome.HOLDS and one.is_certain and one.set_aside_by is None
    return {
        "flip": one,
        # What was right before it, where one may go back to that.
        "good": one.after.number if is_here and broke else None,
        "version": one.version,
        "operation": version_text.operation(one.version),
        "says": f"{SAYS[one.outcome]} from here on",
    }
