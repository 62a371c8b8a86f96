"""Who set this value: blame for a JSON pointer at any version.

The answers of a walk (`following`) with who, why and which turn. Nothing is written,
nothing is cached: change rows and states are all there is to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.agents.scope import Scope
from apps.core import json, sql
from apps.diffs.changes import Json, Kind
from apps.timeline import bodies
from apps.timeline.blame.attribution import value_at
from apps.timeline.blame.pairs import Find, NotBefore, Number
from apps.timeline.blame.walk import BlameWalk, Cursor, Found
from apps.timeline.errors import PointerNotFound
from apps.timeline.versions import fetching, heads, reading
from apps.timeline.versions.reading import VersionRow

__all__ = [
    "Blame",
    "Cursor",
    "NotBefore",
    "Number",
    "Setter",
    "TurnFacts",
    "blame",
    "turns_of",
]

TURNS = """
SELECT t.session_id, t.head_number, t.id, t.turn_number, t.reasoning, t.trace_id,
       t.created_at
  FROM unnest(%(sessions)s::varchar[], %(numbers)s::bigint[]) w (session_id, number)
  JOIN timeline_turn t
    ON t.session_id = w.session_id AND t.head_number = w.number AND t.made_version
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnFacts:
    """The turn that made a version."""

    session_id: str
    head_number: int
    id: str
    turn_number: int
    reasoning: str | None
    trace_id: str
    created_at: datetime

    def __post_init__(self) -> None:
        """Open what an encrypting project has sealed.

        Raises: KeysUnavailable.
        """
        reasoning = bodies.opened_text(self.session_id, self.reasoning)
        object.__setattr__(self, "reasoning", reasoning)


@dataclass(frozen=True, kw_only=True, slots=True)
class Setter:
    """A version that set the value, or removed it.

    `pointer` is where the value stood in that version, of a removed one in the
    version before, as `from_pointer` is. A missing side is MISSING. With `is_carried`
    the value came with a fork from an origin that the caller may not see: the version
    is the fork's first, and who set the value is not told. `restored_by` is the newest
    rollback that brought the value back since.
    """

    version: VersionRow
    pointer: str
    from_pointer: str | None
    kind: Kind | None
    before: Json
    after: Json
    is_carried: bool
    restored_by: VersionRow | None
    turn: TurnFacts | None
    next: Cursor | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Blame:
    """The successive setters of what stands at a pointer, newest first.

    `value` is MISSING if it was removed, or with `not_before` perhaps never was. With
    `next` there may be more, also where `setters` are fewer than was asked for.
    """

    version: VersionRow
    pointer: str
    value: Json
    setters: tuple[Setter, ...]
    next: Cursor | None
    # Who set it before these is gone: how far it was looked.
    not_before: NotBefore | None = None


def blame(
    scope: Scope,
    session_id: str,
    pointer: str,
    *,
    number: int | None,
    now: datetime,
    before: Cursor | None = None,
    limit: int = 1,
    with_over: bool = False,
) -> Blame:
    """Tell which versions set what this pointer names at version `number`.

    Of a key that is not there any more the first to be told is who removed it. None
    is the head, -1 the version before it; `before` goes on from an earlier answer.
    It takes as many statements for a long session as for a short one; only versions
    whose rows cannot decide are looked into one by one. `with_over`, for people, also
    of sessions that were deleted or have expired.

    Raises: SessionNotFound, VersionNotFound, VersionPruned, ContentsErased,
    PointerNotFound.
    """
    find: Find = heads.kept if with_over else fetching.version
    version = find(scope, session_id, number, now=now)
    state = json.parse(reading.state(version))
    walk = BlameWalk(scope, now, find)
    at = walk.resume(before) if before else walk.begin(version, state, pointer)
    steps: list[tuple[Found, Cursor | None]] = []
    goes_on = at.cursor
    while goes_on and len(steps) < limit:
        found, onward = walk.setter(at)
        goes_on = onward.cursor if onward else None
        if found is None:
            break
        steps.append((found, goes_on))
        if onward is not None:
            at = onward
    if not (steps or goes_on or before or walk.not_before):
        raise PointerNotFound(param="pointer")
    return Blame(
        version=version,
        pointer=pointer,
        value=value_at(state, pointer),
        setters=_told(steps),
        next=goes_on,
        not_before=walk.not_before,
    )


def _told(steps: Sequence[tuple[Found, Cursor | None]]) -> tuple[Setter, ...]:
    """Add the turns and the rollbacks, each read for all setters at once."""
    restorers = _restorers([found.restorer for found, _ in steps if found.restorer])
    turns = turns_of(
        [Number(found.version.session_id, found.version.number) for found, _ in steps]
    )
    return tuple(
        Setter(
            version=found.version,
            pointer=found.pointer,
            from_pointer=found.from_pointer,
            kind=found.kind,
            before=found.before,
            after=found.after,
            is_carried=found.is_carried,
            restored_by=restorers[found.restorer] if found.restorer else None,
            turn=turns.get(Number(found.version.session_id, found.version.number)),
            next=onward,
        )
        for found, onward in steps
    )


def _restorers(wanted: Sequence[Number]) -> dict[Number, VersionRow]:
    """Read them session by session; only a fork's history has several."""
    numbers: dict[str, set[int]] = {}
    for session_id, number in wanted:
        numbers.setdefault(session_id, set()).add(number)
    return {
        Number(session_id, row.number): row
        for session_id, some in numbers.items()
        for row in fetching.versions_at(session_id, sorted(some))
    }


def turns_of(wanted: Sequence[Number]) -> dict[Number, TurnFacts]:
    """Return the turns that made these versions, of those that a turn made."""
    if not wanted:
        return {}
    sessions, numbers = zip(*wanted, strict=True)
    asked = {"sessions": list(sessions), "numbers": list(numbers)}
    found = sql.records(TurnFacts, TURNS, asked)
    return {Number(one.session_id, one.head_number): one for one in found}
