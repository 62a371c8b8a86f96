"""What is told of exports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class Export(Answer):
    """An export, how far it is, and what its file has and leaves out."""

    id: str
    kind: str
    unmasked: bool
    state: str
    rows: int
    bytes: int
    left_out: Sequence[Mapping[str, Json]]
    asked_by: str
    created_at: str
    agent: str | None = None
    release: str | None = None
    model: str | None = None
    label: str | None = None
    outcome: str | None = None
    rolled_back: bool | None = None
    most_tokens: int | None = None
    most_cost: float | None = None
    session_id: str | None = None
    user_id: str | None = None
    start: str | None = None
    end: str | None = None
    format: str | None = None
    verification: Sequence[Mapping[str, Json]] = ()
    waits_for: str | None = None
    sha256: str | None = None
    error: str | None = None
    ended_at: str | None = None
    expires_at: str | None = None

    @property
    def is_ready(self) -> bool:
        return self.state == "ready"

    @property
    def is_making(self) -> bool:
        return self.state == "making"
