"""In which share of the sessions a check broke, by release and by model.

A release counts for the sessions in which it wrote while they still passed, and is the
one that broke a session where it wrote the first version that does not pass, whether
or not that was rolled back. Of few sessions no share is told; of enough, within which
bounds it lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from apps.agents.scope import Scope
from apps.core import sql
from apps.surveys.models import Survey
from apps.surveys.words import FEWEST, MOST_GROUPS

_SHARES = sql.query("surveys", "shares")
# 95 of 100 such intervals hold the share that many more sessions would show.
_Z = 1.96


@dataclass(frozen=True, slots=True)
class Share:
    """The sessions of one release or model; None: nobody told which it was."""

    name: str | None
    sessions: int
    bad: int
    undecided: int

    @property
    def is_few(self) -> bool:
        return self.sessions < FEWEST

    @property
    def share(self) -> float | None:
        return None if self.is_few else self.bad / self.sessions

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return Wilson's interval of 95 %; None where the sessions are too few."""
        return None if self.is_few else wilson(self.bad, self.sessions)


@dataclass(frozen=True, kw_only=True, slots=True)
class Shares:
    """What was found in the sessions that whoever asks may see.

    `inherited` and `unplaced` are among `bad`: wrong before the session began, and
    wrong since nobody knows which version. They are of no release.
    """

    good: int
    bad: int
    unknown: int
    inherited: int
    unplaced: int
    waiting: int
    by_release: Sequence[Share]
    by_model: Sequence[Share]

    @property
    def sessions(self) -> int:
        return self.good + self.bad + self.unknown + self.waiting

    @property
    def looked_into(self) -> int:
        return self.sessions - self.waiting


def shares_of(survey: Survey, scope: Scope) -> Shares:
    """Count the sessions that whoever asks may see."""
    asked = {
        "survey": survey.id,
        "agents": scope.agent_list,
        "most": MOST_GROUPS,
        "rows": 2 * MOST_GROUPS + 1,
    }
    rows = sql.rows(_SHARES, asked)
    (whole,) = (row for row in rows if row.kind == "all")
    return Shares(
        good=whole.decided,
        bad=whole.bad,
        unknown=whole.undecided,
        inherited=whole.inherited,
        unplaced=whole.unplaced,
        waiting=whole.waiting,
        by_release=_worst_first(rows, "release"),
        by_model=_worst_first(rows, "model"),
    )


def wilson(bad: int, sessions: int) -> tuple[float, float]:
    """Return within which bounds the share lies, from so many of so many."""
    share, square = bad / sessions, _Z * _Z / sessions
    middle = (share + square / 2) / (1 + square)
    spread = sqrt(share * (1 - share) * square + square * square / 4) / (1 + square)
    return max(middle - spread, 0.0), min(middle + spread, 1.0)


def _worst_first(rows: Sequence[Any], kind: str) -> list[Share]:
    """Return the groups by their shares; those of few sessions last."""
    found = [
        Share(row.name, row.decided, row.bad, row.undecided)
        for row in rows
        if row.kind == kind
    ]
    return sorted(
        found,
        key=lambda one: (one.is_few, -(one.share or 0.0), -one.bad, -one.sessions),
    )
