"""How lists name what is not there any more: tombstones beside what is listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.timeline.models import Turn
from apps.timeline.removed import Tombstone
from apps.timeline.versions import gone
from apps.timeline.versions.reading import VersionRow


def removed_on_page(
    head: VersionRow,
    shown: Sequence[int],
    *,
    newest_first: bool,
    after: int | None,
    has_more: bool,
    with_emptied: bool = False,
) -> list[dict[str, Any]]:
    """Return the tombstones between where a page begins and where the next one does.

    So each is on one page, whichever versions are listed around it.
    """
    if newest_first:
        high = head.number if after is None else after - 1
        low = shown[-1] if has_more else 0
    else:
        low = 0 if after is None else after + 1
        high = shown[-1] if has_more else head.number
    return written(gone.removed_between(head, low, high, with_emptied=with_emptied))


def removed_turns(
    head: VersionRow,
    shown: Sequence[Turn],
    *,
    newest_first: bool,
    after: int | None,
    has_more: bool,
) -> list[dict[str, Any]]:
    """As `removed_on_page`, of a page of turns; emptied ones are listed."""
    if not head.erasures:
        return []
    stones = Tombstone.objects.of_session(head.session_id).gone().filter(turns__gt=0)
    if newest_first and after is not None:
        stones = stones.filter(first_turn__lt=after)
    if not newest_first and after is not None:
        stones = stones.filter(last_turn__gt=after)
    if has_more and newest_first:
        stones = stones.filter(last_turn__gt=shown[-1].turn_number)
    if has_more and not newest_first:
        stones = stones.filter(first_turn__lt=shown[-1].turn_number)
    return written(stones)


def removed_among_turns(
    head: VersionRow, shown: Sequence[Turn], *, since: int, is_all: bool
) -> list[dict[str, Any]]:
    """Return the tombstones of turns after `since`, as far back as turns are shown.

    Emptied ones too: what says nothing is not given to a model.
    """
    if not head.erasures:
        return []
    low = since if is_all or not shown else shown[-1].turn_number
    stones = Tombstone.objects.of_session(head.session_id)
    return written(stones.filter(turns__gt=0, last_turn__gt=low))


def written(stones: Sequence[Tombstone] | Any) -> list[dict[str, Any]]:
    """Return them as they are answered."""
    return [gone.tombstone_object(one) for one in stones]
