"""What is told of guards, their trials and their verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class Guard(Answer):
    """What an agent's writes are held to.

    `line` is its rule as it is typed, `words` what a write does not pass by it.
    """

    id: str
    agent_id: str
    name: str
    kind: str
    mode: str
    revision: int
    rule: Mapping[str, Json]
    line: str
    created_by: str
    created_at: str
    words: str = ""
    trial_id: str | None = None
    trial_status: str | None = None
    refused_last_7_days: int = 0
    withdrawn_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class GuardVerdict(Answer):
    """What a guard said of one write; `outcome` failed or undecided, never a pass."""

    id: str
    version: int
    guard_id: str
    name: str
    kind: str
    revision: int
    outcome: str
    did: str
    created_at: str
    session_id: str | None = None
    turn_number: int | None = None


@dataclass(frozen=True, kw_only=True)
class GuardTrial(Answer):
    """What a guard's revision says of days that are over; done once it is `done`."""

    id: str
    guard_id: str
    revision: int
    status: str
    since: str
    until: str
    sessions: int
    sessions_failed: int
    looked_at: int
    failed: int
    undecided: int
    unreadable: int
    days: Sequence[Mapping[str, Json]]
    examples: Sequence[Mapping[str, Json]]
    created_by: str
    created_at: str
    finished_at: str | None = None
