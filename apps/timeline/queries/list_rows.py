"""What the rows of a list of sessions say: two statements, however many rows.

A title is the first that exists of: what the agent has set, what its state has where
an administrator has mapped it, the objective in the state, what the customer said
first. A fork that has no title of its own has its origin's, and what was said first
was said there.
Nothing of a body is read for a row: what is mapped and the objective are among the
head's facets, as are the first words in a list of messages; those in turns are kept by
the projector (`projection/openings.py`). Only what is about to be mapped is looked up
in bodies, as an object or a list is no title.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import groupby
from typing import Any

from django.utils import timezone

from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.core import sql
from apps.core.errors import DomainError
from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.readers import reader
from apps.diffs.text import shorten
from apps.timeline import bodies, hooks
from apps.timeline.bodies import CorruptBody
from apps.timeline.bodies.tasks import Progress
from apps.timeline.projection import openings
from apps.timeline.queries.listing import SessionFilter, sessions
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.lineage import lineage, set_aside_by
from apps.timeline.words import KNOWN_GOOD

# So many of its newest versions a row shows.
SHOWN = 16
# Forks of forks of forks: nobody looks for a title further than this.
DEEPEST = 8
# A larger turn is read by the projector alone.
LARGEST = 64 * 1024
LOOKED_AT = 5
# A larger state is not looked into: one request reads several.
LARGEST_STATE = 1_000_000
# How much of a reasoning.
SAID = 200
_TITLES = sql.query("timeline", "titles")
_ROWS = sql.query("timeline", "list_rows", shown=SHOWN, good=KNOWN_GOOD, said=SAID)


@dataclass(frozen=True, kw_only=True, slots=True)
class NewVersion:
    """One of the newest versions of a session; only the head comes with its changes."""

    number: int
    op: str
    restored_number: int | None
    undo_of: int | None
    flags: list[str]
    hold: str
    release: str | None
    actor_label: str
    # The beginning of it.
    reasoning: str | None
    change_count: int
    changes: list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class ListRow:
    """What a list shows of a session: its newest versions, and what is open in it.

    `has_older`: there are versions before the first that is shown. Of a session with
    many forks or known-good versions the newest are known.
    """

    versions: Sequence[NewVersion]
    has_older: bool
    is_waiting: bool
    flagged_at: int | None
    good: frozenset[int]
    forked: frozenset[int]

    @property
    def head(self) -> NewVersion:
        return self.versions[0]

    @property
    def live(self) -> Sequence[range]:
        """The live ranges; rollbacks that set one of these aside are among these."""
        rollbacks = [
            (one.number, one.restored_number)
            for one in self.versions
            if one.restored_number is not None
        ]
        return lineage(self.head.number, rollbacks)

    @property
    def looks_wrong(self) -> bool:
        """Whether a live version is flagged, and none since is known good."""
        if self.flagged_at is None:
            return False
        live = self.live
        good = (one for one in self.good if set_aside_by(live, one) is None)
        return max(good, default=-1) < self.flagged_at


def read_list_rows(sessions: Sequence[str]) -> dict[str, ListRow]:
    """Return what a list shows of these sessions, by id."""
    if not sessions:
        return {}
    rows = sql.rows(_ROWS, {"sessions": list(sessions)})
    asked = hooks.asked_among(sessions, now=timezone.now())
    return {
        session_id: _row(list(some), is_asked=session_id in asked)
        for session_id, some in groupby(rows, key=lambda row: row.session_id)
    }


def _row(rows: Sequence[Any], *, is_asked: bool) -> ListRow:
    names = [one.name for one in fields(NewVersion)]
    about = rows[0]
    return ListRow(
        versions=[
            _opened(row, {name: getattr(row, name) for name in names})
            for row in rows[:SHOWN]
        ],
        has_older=len(rows) > SHOWN,
        is_waiting=about.is_waiting or is_asked,
        flagged_at=about.flagged_at,
        good=frozenset(about.good),
        forked=frozenset(about.forked_at),
    )


def _opened(row: Any, columns: dict[str, Any]) -> NewVersion:
    """Open what an encrypting project has sealed; of a reasoning, the beginning."""
    reasoning = bodies.opened_text(row.session_id, row.reasoning)
    return NewVersion(
        **columns
        | {
            "reasoning": reasoning and reasoning[:SAID],
            "changes": bodies.opened_changes(row.session_id, row.changes),
        }
    )


@dataclass(frozen=True, slots=True)
class Subject:
    """What a session is about, and whose it is by its state; None: nothing says."""

    title: str | None = None
    user: str | None = None
    # How far its tasks are, where it has any.
    progress: Progress | None = None


NO_SUBJECT = Subject()


def subjects(sessions: Sequence[str]) -> dict[str, Subject]:
    """Return what these sessions are about, and whose they are by their states."""
    if not sessions:
        return {}
    asked = {
        "sessions": list(sessions),
        "deepest": DEEPEST,
        "latest": openings.LATEST,
        "largest": LARGEST,
    }
    rows = sql.rows(_TITLES, asked)
    return {
        session_id: _subject(list(family))
        for session_id, family in groupby(rows, key=lambda row: row.session_id)
    }


def titles(sessions: Sequence[str]) -> dict[str, str]:
    """Return the titles of those sessions that have any."""
    return {
        session_id: one.title
        for session_id, one in subjects(sessions).items()
        if one.title is not None
    }


def _subject(family: Sequence[Any]) -> Subject:
    who, user = reader(), family[0].mapped_user
    said = [_said(row) for row in family]
    if who is not None:
        # What was taken from states and messages was cut there: of a place that is
        # masked, or in the middle of what a pattern finds.
        said = [_Said(one.depth, one.title, None, None, None, None) for one in said]
        user = None
    progress = Progress.of_text(family[0].tasks)
    return Subject(_title(said), _or_nothing(user), progress)


@dataclass(frozen=True, slots=True)
class _Said:
    """What one session of a family says, itself or in one of its first turns."""

    depth: int
    title: str | None
    mapped: str | None
    objective: str | None
    opening: str | None
    # In the messages that the head keeps.
    kept: str | None


def _said(row: Any) -> _Said:
    opening = row.opening
    if row.data is not None:
        opening = openings.opening_of(row)
    mapped = _or_nothing(row.mapped)
    return _Said(row.depth, row.title, mapped, row.objective, opening, row.kept_opening)


def _or_nothing(said: str | None) -> str | None:
    return said if said and said.strip() else None


def _title(family: Sequence[_Said]) -> str | None:
    """Choose: any title before what is mapped, objectives, and any first words."""
    # A conversation that was forked began in the origin; its turns stay in order.
    eldest_first = sorted(family, key=lambda one: -one.depth)
    found = [
        *(one.title for one in family),
        *(one.mapped for one in family),
        *(one.objective for one in family),
        *(one.opening for one in eldest_first),
        *(one.kept for one in family),
    ]
    return next((text for text in found if text is not None), None)


def containers(agent: Agent, places: Sequence[str], now: datetime) -> dict[str, str]:
    """Return which places hold an object or a list, in which session, and which."""
    wanted = SessionFilter(agent=agent.external_id)
    newest = sessions(
        Scope(agent.project), wanted, after_id=None, limit=LOOKED_AT, now=now
    )[:LOOKED_AT]
    heads = fetching.heads([session.id for session in newest])
    found: dict[str, str] = {}
    for session in newest:
        head = heads.get(session.id)
        state = None if head is None or head.size > LARGEST_STATE else _state(head)
        for place in places:
            said = None if state is None else container(state, place)
            if head is not None and said is not None and place not in found:
                found[place] = f"in {session.id} v{head.number} this is {said}"
    return found


def container(state: Json, place: str) -> str | None:
    """Say what holds several values at a place, and one to name; None for a value."""
    try:
        value = pointers.resolve(state, place)
    except KeyError:
        return None
    if not isinstance(value, dict | list):
        return None
    key = next(iter(value), "…") if isinstance(value, dict) else 0
    kind = "an object" if isinstance(value, dict) else "a list"
    inner = shorten(f"{place}{pointers.join([key])}")
    return f"{kind}: name one value in it, as {inner}."


def _state(head: reading.VersionRow) -> Json | None:
    try:
        return reading.parsed(head)
    except (CorruptBody, DomainError):
        return None
