"""What an agent did outside, as answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class EffectBegin(Answer):
    """Whether a call is to be made now; if not, what it came to or waits for.

    Finish what runs with its `attempt`. `provider_key` is the same for each attempt.
    `source` says which result of the record answered, if one did: its `session_id`,
    `effect_id`, `version` and `made_at`.
    """

    run: bool
    provider_key: str
    id: str | None = None
    attempt: int | None = None
    status: str | None = None
    number: int | None = None
    deadline: str | None = None
    result: Json = None
    result_reference: str | None = None
    result_digest: str | None = None
    external_id: str | None = None
    source: Mapping[str, Json] | None = None
    approval: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class Effect(Answer):
    """One act of an agent outside."""

    id: str
    session_id: str
    key: str
    tool: str
    status: str
    attempt: int
    number: int
    call_id: str
    class_declared: bool
    provider_key: str
    takes_provider_key: bool
    arguments_size: int
    created_at: str
    created_by: str
    updated_at: str
    updated_by: str
    arguments: Mapping[str, Json] | None = None
    undo: Mapping[str, Json] | None = None
    undo_until: str | None = None
    deadline: str | None = None
    result: Json = None
    result_reference: str | None = None
    result_digest: str | None = None
    external_id: str | None = None
    reason: str | None = None
    source: Mapping[str, Json] | None = None

    @property
    def effect_class(self) -> str:
        """read, reversible, compensable or irreversible."""
        return str(self.raw["class"])


@dataclass(frozen=True, kw_only=True)
class Result(Answer):
    """A result that may answer its call again; `reused` counts in its own session."""

    id: str
    session_id: str
    key: str
    tool: str
    arguments_size: int
    version: int
    made_at: str
    scope: str
    reused: int
    arguments: Mapping[str, Json] | None = None
    result: Json = None
    result_reference: str | None = None
    result_digest: str | None = None
    external_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class ResultsForgotten(Answer):
    """What was begun until `created_at` and answers nobody any more."""

    id: str
    by: str
    reason: str
    created_at: str
    created_by: str
    tool: str | None = None


@dataclass(frozen=True, kw_only=True)
class Compensation(Answer):
    """What is owed for an effect that a rollback has crossed."""

    id: str
    session_id: str
    key: str
    tool: str
    call_id: str
    class_declared: bool
    status: str
    attempt: int
    version: int
    at: str
    has_undo: bool
    rollback_version: int
    compensation: str
    undo_until: str | None = None
    reason: str | None = None
    updated_at: str | None = None
    updated_by: str | None = None

    @property
    def effect_class(self) -> str:
        """read, reversible, compensable or irreversible."""
        return str(self.raw["class"])
