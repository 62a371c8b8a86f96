"""Everyday verbs of agents: register, create, update, suspend, activate.

`register` is what a session's first post does: it is silent, idempotent and writes
an event only when it made the agent. All others raise rather than return quietly.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.accounts.models import Project
from apps.agents.errors import AgentExists, AgentNotFound
from apps.agents.models import Agent, AgentStatus
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import json
from apps.core.actors import Actor
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id

TEXT_FIELDS = ("name", "description", "owner", "team")
MAX_METADATA_BYTES = 64 * 1024


def register(
    *, project: Project, external_id: str, actor: Actor, now: datetime, request_id: str
) -> Agent:
    """Return the agent of that name, made now if nobody made it before.

    Two first posts at once make one agent: the unique key decides, the loser reads.
    """
    found = Agent.objects.of_project(project.id).filter(external_id=external_id).first()
    if found:
        return found
    try:
        return create(
            project=project,
            external_id=external_id,
            fields={},
            actor=actor,
            now=now,
            request_id=request_id,
        )
    except AgentExists:
        return Agent.objects.of_project(project.id).get(external_id=external_id)


@transaction.atomic
def create(
    *,
    project: Project,
    external_id: str | None,
    fields: Mapping[str, Any],
    actor: Actor,
    now: datetime,
    request_id: str,
) -> Agent:
    """Make an agent; without an external id its own id serves as one.

    Raises: AgentExists, InvalidRequest.
    """
    agent_id = new_id("agent", now=now)
    name = external_id or agent_id
    _checked_name(name)
    made = Agent(
        id=agent_id,
        project=project,
        external_id=name,
        name=name[:255],
        created_at=now,
        updated_at=now,
    )
    _apply(made, fields)
    # The conflict is decided by the unique key; `ignore_conflicts` keeps the
    # transaction usable, and what is stored afterwards says who won.
    Agent.objects.bulk_create([made], ignore_conflicts=True)
    if not Agent.objects.filter(id=agent_id).exists():
        taken = Agent.objects.of_project(project.id).get(external_id=name)
        raise AgentExists(param="external_id", agent_id=taken.id)
    _record(Action.AGENT_CREATED, made, actor=actor, now=now, request_id=request_id)
    return made


def update(
    *,
    project: Project,
    reference: str,
    fields: Mapping[str, Any],
    actor: Actor,
    now: datetime,
    request_id: str,
) -> Agent:
    """Set texts and tags; metadata is merged key by key, as Anchor's clients expect.

    Raises: AgentNotFound, InvalidRequest.
    """
    with transaction.atomic():
        agent = _locked(project, reference)
        changed = _apply(agent, fields)
        agent.updated_at = now
        agent.save(update_fields=[*changed, "updated_at"])
        _record(
            Action.AGENT_UPDATED,
            agent,
            actor=actor,
            now=now,
            request_id=request_id,
            fields=changed,
        )
    return agent


def suspend(
    *, project: Project, reference: str, actor: Actor, now: datetime, request_id: str
) -> Agent:
    """Stop the agent's writes; suspending it twice is one suspension.

    Raises: AgentNotFound.
    """
    return _change_status(
        AgentStatus.SUSPENDED,
        Action.AGENT_SUSPENDED,
        project=project,
        reference=reference,
        actor=actor,
        now=now,
        request_id=request_id,
    )


def activate(
    *, project: Project, reference: str, actor: Actor, now: datetime, request_id: str
) -> Agent:
    """Let the agent write again.

    Raises: AgentNotFound.
    """
    return _change_status(
        AgentStatus.ACTIVE,
        Action.AGENT_ACTIVATED,
        project=project,
        reference=reference,
        actor=actor,
        now=now,
        request_id=request_id,
    )


def _change_status(
    status: AgentStatus,
    action: Action,
    *,
    project: Project,
    reference: str,
    actor: Actor,
    now: datetime,
    request_id: str,
) -> Agent:
    with transaction.atomic():
        agent = _locked(project, reference)
        if agent.status != status:
            agent.status = status
            agent.updated_at = now
            agent.save(update_fields=["status", "updated_at"])
            _record(action, agent, actor=actor, now=now, request_id=request_id)
    return agent


def _locked(project: Project, reference: str) -> Agent:
    agents = Agent.objects.of_project(project.id).named(reference)
    agent = agents.select_for_update(no_key=True).first()
    if agent is None:
        raise AgentNotFound
    return agent


def _apply(agent: Agent, fields: Mapping[str, Any]) -> list[str]:
    changed = [name for name in TEXT_FIELDS if name in fields]
    for name in changed:
        setattr(agent, name, _text(name, fields[name]))
    if "tags" in fields:
        agent.tags = _tags(fields["tags"])
        changed.append("tags")
    if "metadata" in fields:
        merged = json.merged(json.parse(bytes(agent.metadata)), fields["metadata"], [])
        agent.metadata = json.dumps(merged)
        if len(agent.metadata) > MAX_METADATA_BYTES:
            raise InvalidRequest(
                f"metadata is larger than {MAX_METADATA_BYTES} bytes.", param="metadata"
            )
        changed.append("metadata")
    return changed


def _checked_name(name: str) -> None:
    if not name.strip() or len(name) > 255 or "\x00" in name:
        raise InvalidRequest(
            "An agent's external id is 1 to 255 characters, without NUL.",
            param="agent_id",
        )


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > 4_000 or "\x00" in value:
        raise InvalidRequest(
            f"{name} must be text of at most 4,000 characters, without NUL.", param=name
        )
    if name != "description" and len(value) > 255:
        raise InvalidRequest(f"{name} has more than 255 characters.", param=name)
    return value


def _tags(value: Any) -> list[str]:
    if (
        not isinstance(value, list)
        or len(value) > 50
        or not all(isinstance(tag, str) and 0 < len(tag) <= 100 for tag in value)
        or any("\x00" in tag for tag in value)
    ):
        raise InvalidRequest(
            "tags is a list of at most 50 texts of 1 to 100 characters.", param="tags"
        )
    return value


def _record(
    action: Action,
    agent: Agent,
    *,
    actor: Actor,
    now: datetime,
    request_id: str,
    fields: list[str] | None = None,
) -> None:
    details: dict[str, Any] = {"agent_id": json.cleaned(agent.external_id)}
    if fields is not None:
        details["fields"] = fields
    audit.record(
        stream_id=agent.project_id,
        project_id=agent.project_id,
        action=action,
        resource_type="agent",
        resource_id=agent.id,
        actor=actor,
        now=now,
        request_id=request_id,
        details=details,
    )
