"""What a search asks for, as values: no grammar, no database.

A query is a list of clauses that all have to hold. The language makes them from text,
the finder answers them; neither knows the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.timeline.scores import ScoreFilter

Scalar = str | int | float | bool | None


class When(StrEnum):
    """Whether a value is asked for in the head, or in any version there ever was."""

    NOW = "now"
    EVER = "ever"


class Match(StrEnum):
    """How the type of a value counts.

    `EXACT`: by the JSON type, 17 is not "17" (17 and 17.0 are one number). `EITHER`:
    17 finds the number and the text "17"; true and null likewise.
    """

    EXACT = "exact"
    EITHER = "either"


@dataclass(frozen=True, kw_only=True, slots=True)
class Clause:
    """One condition; `text` is how it was written, for telling of it in an answer."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Holds(Clause):
    """The state holds this whole value at a pointer (RFC 6901), or anywhere (None)."""

    when: When
    pointer: str | None
    value: Scalar
    match: Match


@dataclass(frozen=True, kw_only=True, slots=True)
class Within(Clause):
    """The head holds a number at a pointer, between two; None leaves a side open.

    A side that `excludes` its end leaves that number itself out.
    """

    pointer: str
    low: int | float | None
    high: int | float | None
    excludes: bool = False

    def has(self, number: int | float) -> bool:
        """Say whether a number lies there."""
        if number in (self.low, self.high):
            return not self.excludes
        return (self.low is None or number > self.low) and (
            self.high is None or number < self.high
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Changed(Clause):
    """Some version but the first changed what this pointer names, or what is below."""

    pointer: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Words(Clause):
    """All these words stand in one reasoning, turn or label."""

    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FreeTerm(Clause):
    """A bare term: words somewhere, or a whole value held now or ever."""

    term: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Flag(Clause):
    """Some version carries a flag: one of `apps.diffs.flags`, by its full name."""

    name: str


class Field(StrEnum):
    """What a version says of itself, beside its state."""

    RELEASE = "release"
    MODEL = "model"
    STEP = "step"
    OBJECTIVE = "objective"
    REASON = "reason"
    OP = "op"


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionSays(Clause):
    """Some version has this in one of its fields, whole and as it is written."""

    field: Field
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RolledBack(Clause):
    """The session was rolled back at some time, or never was."""

    wanted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreasoned(Clause):
    """Some version changed the state and did not say why.

    With `op`, one of that operation: a rollback that takes back another has a reason.
    """

    op: str = ""


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
class LabelIs(Clause):
    """Some version carries this label, whole and as it is written."""

    name: str


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
class ExternalId(Clause):
    """The session, or a version of it, carries this name of the caller's."""

    external_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionIs(Clause):
    """This one session."""

    session_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ChildOf(Clause):
    """The session's metadata names that session as its parent, as sub-graphs' do."""

    parent_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TraceIs(Clause):
    """A version or turn of the session carries this trace id."""

    trace_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Without(Clause):
    """The session does not meet this clause."""

    clause: Clause


@dataclass(frozen=True, kw_only=True, slots=True)
class AnyOf(Clause):
    """The session meets at least one of these."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """All of these hold. No clause at all asks for every session."""

    clauses: tuple[Clause, ...] = ()
