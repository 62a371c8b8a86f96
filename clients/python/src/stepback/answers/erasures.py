"""What is told of erasures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class ErasurePreview(Answer):
    """What an erasure would take, counted; nothing has gone."""

    id: str
    created_at: str
    usable_until: str
    sessions: int
    has_more_sessions: bool
    documents: int
    complete: bool
    rows: Sequence[Mapping[str, Json]]
    bytes: int
    user_id: str | None = None
    session_id: str | None = None
    legal_hold: str | None = None


@dataclass(frozen=True, kw_only=True)
class ListedErasure(Answer):
    """An erasure, how far it is, and what it has taken."""

    id: str
    preview_id: str
    kind: str
    state: str
    reason: str
    asked_by: str
    data_points_deleted: int
    rows: Sequence[Mapping[str, Json]]
    started_at: str
    waits_for: str | None = None
    deleted_at: str | None = None

    @property
    def is_done(self) -> bool:
        return self.state == "done"


@dataclass(frozen=True, kw_only=True)
class Erasure(ListedErasure):
    """An erasure with its progress and, once it `is_done`, its certificate."""

    histories: int | None = None
    histories_gone: int | None = None
    certificate: str | None = None
