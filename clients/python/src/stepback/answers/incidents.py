"""What is told of incidents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class ListedIncident(Answer):
    """What went wrong in many sessions; `sessions` counts those that one may see."""

    id: str
    number: int
    title: str
    status: str
    sessions: int
    limited: bool
    opened_by: str
    created_at: str
    owner: str | None = None
    q: str | None = None
    check: str | None = None
    checked_at: str | None = None
    resolved_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class Incident(ListedIncident):
    """An incident, and what its sessions have in common."""

    counts: Mapping[str, Json]


@dataclass(frozen=True, kw_only=True)
class IncidentMember(Answer):
    """A session of an incident: as collected, and as it is now."""

    session_id: str
    agent_id: str
    version: int
    title: str | None = None
    status: str | None = None
    head_version: int | None = None
    release: str | None = None
    model: str | None = None
    removed_at: str | None = None
    removed_by: str | None = None
    verdict: str | None = None
    first_bad: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class IncidentNote(Answer):
    """One thing that was done with an incident."""

    id: str
    deed: str
    by: str
    created_at: str
    text: str | None = None
    session_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class IncidentReport(Answer):
    """What, since when, which release, how many, what was done, what is open."""

    incident: Mapping[str, Json]
    open: Sequence[str]
    markdown: str
    made_at: str
