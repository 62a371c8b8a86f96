"""What a merge would do to the head, told before it is done. Nothing is written.

Turns and effects of the other side do not come along: what an agent said and did there
stays where it was, and is named here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.agents.scope import Scope
from apps.core import sql
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.diffs.merging import Choice
from apps.timeline.queries.merging.combining import Combined
from apps.timeline.queries.merging.requests import MergeRequest, Sides
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import VersionRow

LISTED = 50
NO_CHOICES: Mapping[str, Choice] = {}
COUNT_TURNS = sql.of_session("""
SELECT count(*) AS count FROM timeline_turn t
 WHERE t.session_id = %(session)s AND t.head_number BETWEEN %(first)s AND %(last)s
""")
EFFECTS = sql.of_session(sql.query("timeline", "effects_left"))


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftEffect:
    """Something that an agent did outside on the other side."""

    id: str
    key: str
    tool: str
    effect_class: str
    status: str
    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class MergePreview:
    """What becomes of the state, and what does not come along.

    `comparison` is from the head to the result, None while a conflict is not chosen.
    `choices` are those that are about conflicts that there are. Effects are told up to
    `LISTED`, newest first, and counted without those that only read.
    """

    request: MergeRequest
    head: VersionRow
    sides: Sides
    combined: Combined
    choices: Mapping[str, Choice]
    comparison: Comparison | None
    is_nothing: bool
    n_turns: int
    effects: Sequence[LeftEffect]
    n_effects: int


def preview_merge(
    scope: Scope,
    session_id: str,
    asked: MergeRequest,
    *,
    now: datetime,
    choices: Mapping[str, Choice] = NO_CHOICES,
) -> MergePreview:
    """Tell what a merge would do to the head as it is now.

    Choices about conflicts that there are no more are left out.

    Raises: SessionNotFound, what `MergeRequest.sides` raises, PointerRefused.
    """
    head = fetching.head(scope, session_id, now=now)
    sides = asked.sides(scope, head, now=now)
    combined = asked.combine(head, sides, NO_CHOICES)
    kept = combined.kept(choices)
    if kept:
        combined = asked.combine(head, sides, kept)
    comparison = None
    if combined.state is not None:
        comparison = compare(reading.parsed(head), combined.state)
    n_turns, effects, n_effects = _left(asked, sides, now)
    return MergePreview(
        request=asked,
        head=head,
        sides=sides,
        combined=combined,
        choices=kept,
        comparison=comparison,
        is_nothing=is_nothing(head, combined),
        n_turns=n_turns,
        effects=effects,
        n_effects=n_effects,
    )


def is_nothing(head: VersionRow, combined: Combined) -> bool:
    """Whether the head has all of it already, without anything to choose.

    What was chosen is worth a version, even if all of it is as the head has it: the
    next promotion of the fork begins there.
    """
    return not combined.conflicts and shows_as(head, combined)


def shows_as(head: VersionRow, combined: Combined) -> bool:
    """Whether the head shows all parts as they were put together."""
    return combined.parts is not None and reading.has_parts(head, combined.parts)


def _left(
    request: MergeRequest, sides: Sides, now: datetime
) -> tuple[int, list[LeftEffect], int]:
    """Return the turns and effects between the two versions, and how many there are."""
    session_id, first, last = request.left_behind(sides)
    if first > last:
        return 0, [], 0
    asked = {"session": session_id, "first": first, "last": last}
    (turns,) = sql.rows(COUNT_TURNS, asked)
    found = sql.rows(EFFECTS, {**asked, "now": now, "limit": LISTED})
    names = LeftEffect.__slots__
    effects = [
        LeftEffect(**{name: getattr(row, name) for name in names}) for row in found
    ]
    return turns.count, effects, found[0].n_all if found else 0
