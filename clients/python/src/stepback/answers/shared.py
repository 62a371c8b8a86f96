"""Shared documents, the leases under which they are written, and heartbeats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stepback.answers.base import Answer
from stepback.stories import Json


@dataclass(frozen=True, kw_only=True)
class SharedWrite(Answer):
    """The version that a write of a shared document made."""

    name: str
    session_id: str
    version: int
    state: dict[str, Json]
    created_at: str
    updated_at: str
    trace_id: str
    last_rollback: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class Shared(SharedWrite):
    """The newest version of a shared document; `lease` says who holds it now."""

    lease: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class SharedName(Answer):
    """A shared document in a list."""

    name: str
    session_id: str
    version: int
    created_at: str
    updated_at: str


@dataclass(frozen=True, kw_only=True)
class Lease(Answer):
    """A lease as it stands; times are of the server's clock."""

    name: str
    holder: str
    fence: int
    until: str
    seconds_left: float


@dataclass(frozen=True, kw_only=True)
class Heartbeat(Answer):
    """What is expected of a session, and since when it is silent."""

    session_id: str
    every: int
    due_at: str
    is_default: bool
    silent_since: str | None = None


@dataclass(frozen=True, kw_only=True)
class AgentHeartbeat(Answer):
    """What the sessions of an agent begin with."""

    agent_id: str
    every: int
