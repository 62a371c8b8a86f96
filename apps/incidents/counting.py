"""How many sessions an incident has, by agent, release, model and what is wrong.

Counted from the rows at every asking, and only those of agents that whoever asks may
see: there is no counter that could be of others, or be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.agents.scope import Scope
from apps.core import sql
from apps.incidents.models import Incident
from apps.incidents.words import Verdict

# Groups of one kind that are told, the largest first.
MOST_GROUPS = 20
_COUNTS = sql.query("incidents", "counts")
_STANDINGS = sql.across(sql.query("incidents", "standings"))


@dataclass(frozen=True, slots=True)
class Group:
    """Sessions that have something in common; None: nothing was told of it."""

    name: str | None
    sessions: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """How many sessions are in an incident, and what they have in common.

    Of each kind the largest groups. `since`: when the first version was written that
    does not pass the check, as far as is known.
    """

    sessions: int
    removed: int
    by_agent: Sequence[Group]
    by_release: Sequence[Group]
    by_model: Sequence[Group]
    by_bad_release: Sequence[Group]
    bad: int
    good: int
    unknown: int
    since: datetime | None
    # Of those that are bad: of how many the first version is not known.
    unplaced: int

    @property
    def waiting(self) -> int:
        """In how many the check was not looked for."""
        return self.sessions - self.bad - self.good - self.unknown


@dataclass(frozen=True, kw_only=True, slots=True)
class Standings:
    """How the sessions of an incident stand now."""

    there: int
    moved: int
    rolled_back: int
    began_first: datetime | None

    @property
    def untouched(self) -> int:
        return self.there - self.moved


def counts_of(incident: Incident, scope: Scope) -> Counts:
    """Count the sessions that whoever asks may see."""
    asked = _asked(incident, scope) | {"most": MOST_GROUPS}
    rows = sql.rows(_COUNTS, asked)
    (whole,) = (row for row in rows if row.kind == "all")
    verdicts = {row.name: row.n for row in rows if row.kind == "verdict"}
    return Counts(
        sessions=whole.n,
        removed=whole.removed,
        by_agent=_groups(rows, "agent"),
        by_release=_groups(rows, "release"),
        by_model=_groups(rows, "model"),
        by_bad_release=_groups(rows, "bad"),
        bad=verdicts.get(Verdict.BAD, 0),
        good=verdicts.get(Verdict.GOOD, 0),
        unknown=verdicts.get(Verdict.UNKNOWN, 0),
        since=whole.since,
        unplaced=whole.unplaced,
    )


def standings_of(incident: Incident, scope: Scope) -> Standings:
    """Count how the sessions that whoever asks may see stand at this moment."""
    (row,) = sql.rows(_STANDINGS, _asked(incident, scope))
    return Standings(
        there=row.there,
        moved=row.moved,
        rolled_back=row.rolled_back,
        began_first=row.began_first,
    )


def _asked(incident: Incident, scope: Scope) -> dict[str, Any]:
    return {"incident": incident.id, "agents": scope.agent_list}


def _groups(rows: Sequence[Any], kind: str) -> list[Group]:
    return [Group(row.name, row.n) for row in rows if row.kind == kind]
