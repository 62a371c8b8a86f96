"""What is told of policies of retention, what they take, and legal holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class RetentionPolicy(Answer):
    """After how many days what goes; None is never."""

    id: str
    keep_last: int
    enabled: bool
    created_at: str
    created_by: str
    agent_id: str | None = None
    thin_days: int | None = None
    archive_days: int | None = None
    empty_days: int | None = None
    prune_days: int | None = None
    remove_days: int | None = None
    ended_days: int | None = None
    preview_id: str | None = None
    enabled_at: str | None = None
    disabled_at: str | None = None
    swept_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class RetentionRemoval(Answer):
    """A run of a policy: what has gone, step by step, and what stayed and why."""

    id: str
    policy_id: str
    state: str
    sessions_seen: int
    complete: bool
    counts: Sequence[Mapping[str, Json]]
    pinned: Sequence[Mapping[str, Json]]
    held_sessions: int
    started_at: str
    ended_at: str | None = None
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class RetentionPreview(RetentionRemoval):
    """What a policy would take: counted once it `is_ready`, nothing has gone."""

    usable_until: str

    @property
    def is_ready(self) -> bool:
        return self.state == "ready"


@dataclass(frozen=True, kw_only=True)
class LegalHold(Answer):
    """What must not go, and why; `standing` says whether it counts now."""

    id: str
    kind: str
    reason: str
    standing: bool
    created_at: str
    set_by: str
    value: str | None = None
    until: str | None = None
    ended_at: str | None = None
    ended_by: str | None = None
    end_reason: str | None = None
