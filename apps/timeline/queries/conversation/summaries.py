"""Summaries of turns: those that count, and what goes into a context.

One counts as long as the version that its last turn left is live: whoever rolls a
session back sets aside what was said since, and the summaries of that. Taking the
rollback back brings both back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from django.db.models import Q

from apps.timeline.models import Summary
from apps.timeline.versions.lineage import Lineage, set_aside_by

LOOKED_AT = 500
# Of a page of turns so many are told.
MOST_OF_TURNS = 40


def live_summaries(session_id: str, lineage: Lineage, *, most: int) -> list[Summary]:
    """Return the summaries that count, the one that reaches furthest first."""
    ids = list(islice(_live(session_id, lineage), most))
    if not ids:
        return []
    found = Summary.objects.of_session(session_id).filter(id__in=ids)
    return list(found.furthest_first())


def summaries_of_turns(
    session_id: str, first_turn: int, last_turn: int, live: Sequence[range]
) -> list[Summary]:
    """Return summaries that count of any turns between two, the furthest first.

    Of the 500 that reach furthest, the first 40 that count.
    """
    of_turns = Summary.objects.of_session(session_id).filter(
        first_turn__lte=last_turn, last_turn__gte=first_turn
    )
    listed = of_turns.furthest_first().values_list("id", "head_number")[:LOOKED_AT]
    ids = [one for one, number in listed if set_aside_by(live, number) is None]
    found = of_turns.filter(id__in=ids[:MOST_OF_TURNS])
    return list(found.furthest_first()) if ids else []


def setting_aside(summary: Summary, lineage: Lineage) -> int | None:
    """Return the rollback that set a summary aside; None: it counts."""
    number = summary.head_number
    return set_aside_by(lineage.down_to(number), number)


def _live(session_id: str, lineage: Lineage) -> Iterator[str]:
    """Yield the ids of those that count, read only as far as they are asked for.

    Turns and their heads rise together, so the lineage is read no further down than to
    the last one looked at.
    """
    all_of = Summary.objects.of_session(session_id).furthest_first()
    some = all_of
    while found := list(
        some.values_list("id", "head_number", "last_turn", "ordinal")[:LOOKED_AT]
    ):
        ranges = lineage.down_to(found[-1][1])
        for summary_id, head_number, _, _ in found:
            if set_aside_by(ranges, head_number) is None:
                yield summary_id
        if len(found) < LOOKED_AT:
            return
        _, _, last_turn, ordinal = found[-1]
        same = Q(last_turn=last_turn, ordinal__lt=ordinal)
        some = all_of.filter(Q(last_turn__lt=last_turn) | same)
