"""Agents and records of their streams, made by the product's own operations."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction

from apps.accounts.models import Project
from apps.agents import operations as agents
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.streams import Operation, Result, StreamRecord
from apps.core.actors import Actor, ActorKind
from apps.core.ids import new_id
from tests.acts import act_in

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
KEY = Actor(kind=ActorKind.KEY, id="key_1", label="sb_7f3a")


def make_agent(project: Project, name: str = "billing") -> Agent:
    """Return an agent, whose stream says since an hour before `NOW` that it exists."""
    act = act_in(project, now=NOW - timedelta(hours=1))
    return agents.create(act=act, external_id=name, fields={})


def write(agent: Agent, key: str = "user:42", *, at: int = 0, **facts: Any) -> str:
    """Record that data was written so many minutes after `NOW`; return the event's id.

    Any fact can be another.
    """
    now = NOW + timedelta(minutes=at)
    told: dict[str, Any] = {
        "stream_id": agent.id,
        "project_id": agent.project_id,
        "event_id": new_id("trace", now=now),
        "action": Operation.DATA_WRITE,
        "resource_type": "data",
        "resource_id": key,
        "result": Result.ALLOWED,
        "actor": KEY,
        "now": now,
    }
    record = StreamRecord(**told | facts)
    with transaction.atomic():
        audit.record_in_stream(record=record)
    return f"aud_{record.event_id.partition('_')[2]}"
