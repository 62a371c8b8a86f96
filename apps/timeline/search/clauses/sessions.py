"""Clauses about sessions: whose they are, how they stand, what they used."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from apps.timeline.scores import ScoreFilter
from apps.timeline.search.clauses.base import Clause


class Used(StrEnum):
    """What the turns of a session have used, altogether."""

    COST = "cost"
    TOKENS = "tokens"


@dataclass(frozen=True, kw_only=True, slots=True)
class UsedWithin(Clause):
    """The session has used so much; None leaves a side open.

    Without a currency a cost is compared in the session's own.
    """

    used: Used
    low: Decimal | None
    high: Decimal | None
    excludes: bool = False
    currency: str | None = None

    def has(self, amount: Decimal) -> bool:
        """Say whether an amount lies there."""
        if amount in (self.low, self.high):
            return not self.excludes
        return (self.low is None or amount > self.low) and (
            self.high is None or amount < self.high
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Marked(Clause):
    """The session has an effect, a request or a budget that stands so."""

    field: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RolledBack(Clause):
    """The session was rolled back at some time, or never was."""

    wanted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Forked(Clause):
    """The session began as a fork, or did not."""

    wanted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusIs(Clause):
    """The session is held, or over: deleted or expired."""

    status: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StandsAs(Clause):
    """The session stands so, as its row says: the first that applies."""

    standing: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewedAs(Clause):
    """The newest review says so: fine, failed, or none where nobody reviewed it."""

    review: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored(Clause):
    """The newest score of a name compares so, or there is one."""

    wanted: ScoreFilter


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentIs(Clause):
    """The session belongs to this agent, by the caller's name of it."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class UserIs(Clause):
    """The session is with this end user."""

    user_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CreatedBetween(Clause):
    """The session began after one moment and before another; None leaves a side open.

    `age<2h` is one of these too: begun after the moment that was two hours ago.
    """

    after: datetime | None
    before: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class UpdatedBetween(Clause):
    """The session was last written after one moment and before another."""

    after: datetime | None
    before: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionIs(Clause):
    """This one session."""

    session_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ChildOf(Clause):
    """The session's metadata names that session as its parent, as sub-graphs' do."""

    parent_id: str
