"""Clauses about what versions carry, or say of themselves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from apps.timeline.search.clauses.base import Clause


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
class SchemaIs(Clause):
    """The head's state is of this schema, as its writers say."""

    schema: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskIs(Clause):
    """The head has a task of this name, of this status, or one of both."""

    name: str = ""
    status: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreasoned(Clause):
    """Some version changed the state and did not say why.

    With `op`, one of that operation: a rollback that takes back another has a reason.
    """

    op: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelIs(Clause):
    """Some version carries this label, whole and as it is written."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ExternalId(Clause):
    """The session, or a version of it, carries this name of the caller's."""

    external_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TraceIs(Clause):
    """A version or turn of the session carries this trace id."""

    trace_id: str
