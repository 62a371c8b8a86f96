"""The first version of a session that does not pass a check, looked for to the end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from apps.agents.scope import Scope
from apps.checks import Check
from apps.timeline.bisect.ancestry import Ancestry
from apps.timeline.bisect.asking import Asked, Order, find_flips
from apps.timeline.bisect.candidates import Along
from apps.timeline.bisect.history import Place, Window

# Answers of bisect for one session: some thousand states.
MOST_WALKS = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class FirstBad:
    """What a check says of a session, along the versions that were asked about.

    `is_bad` None: nobody knows, because versions are gone or too many. `place` is the
    first that does not pass, where that is known; it may lie in an origin.
    """

    is_bad: bool | None
    place: Place | None = None


def find_first_bad(
    scope: Scope,
    session_id: str,
    check: Check,
    *,
    now: datetime,
    along: Along = Along.LIVE,
    first: int | None = None,
    with_over: bool = False,
    ancestry: Ancestry | None = None,
) -> FirstBad:
    """Go on from the oldest version until the first is found, or all were seen.

    The first answer may have looked into some versions only; those that follow go
    through all of them in order, so what they find first is the first. `with_over`,
    also of sessions that were deleted or have expired. The ancestry may have been
    read with those of others.

    Raises: what `find_flips` raises.
    """
    window = Window(first=first, along=along)
    asked = Asked(
        check=check, window=window, order=Order.OLDEST, limit=1, tells_flips=False
    )
    is_in_order, is_bad, is_lost = False, False, False
    for _ in range(MOST_WALKS):
        found = find_flips(
            scope, session_id, asked, now=now, with_over=with_over, ancestry=ancestry
        )
        is_bad = is_bad or found.first_bad is not None
        is_lost = is_lost or bool(found.gone or found.unreadable)
        is_known = found.is_exact or is_in_order
        if found.first_bad is not None and is_known and not is_lost:
            return FirstBad(is_bad=True, place=found.first_bad.place)
        if is_bad and is_known:
            return FirstBad(is_bad=True)
        if found.next is None:
            is_good = found.is_exact or (is_in_order and not is_lost)
            return FirstBad(is_bad=False if is_good else True if is_bad else None)
        asked, is_in_order = replace(asked, start=found.next), True
    return FirstBad(is_bad=True if is_bad else None)
