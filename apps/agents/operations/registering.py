"""Make agents, and set what is said of them.

`register` is what a session's first post does: it is silent, idempotent and writes
an event only when it made the agent. All others raise rather than return quietly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.errors import AgentDeleted, AgentExists
from apps.agents.models import Agent
from apps.agents.operations.recorded import locked, record
from apps.audit.actions import Action
from apps.core import json
from apps.core.errors import InvalidRequest, PayloadTooLarge
from apps.core.ids import new_id

TEXT_FIELDS = ("name", "description", "owner", "team")
LONGEST_NAME = 255
LONGEST_DESCRIPTION = 4_000
LONGEST_TAG = 100
MOST_TAGS = 50
MAX_METADATA_BYTES = 64 * 1024


def register(*, act: Act, external_id: str) -> Agent:
    """Return the agent of that name or id, made now if nobody made it before.

    Two first posts at once make one agent: the unique key decides, the loser reads.
    The caller has asked `Scope.require_agent`.
    """
    found = Agent.objects.of_project(act.project_id).named(external_id).first()
    if found:
        return found
    try:
        return create(
            external_id=external_id,
            fields={},
            act=act,
        )
    except AgentExists:
        return Agent.objects.of_project(act.project_id).one_named(external_id)


@transaction.atomic
def create(*, act: Act, external_id: str | None, fields: Mapping[str, Any]) -> Agent:
    """Make an agent; without an external id its own id serves as one.

    Another agent's id is not free as an external id: a reference would name two.

    Raises: AgentDeleted, AgentExists, InvalidRequest, PayloadTooLarge,
    PermissionDenied, UnacceptableJson.
    """
    agent_id = new_id("agent", now=act.now)
    name = agent_id if external_id is None else external_id
    _checked_name(name)
    act.scope.require_agent(name)
    _require_free(act.project, name)
    made = Agent(
        id=agent_id,
        project=act.project,
        external_id=name,
        name=name,
        created_at=act.now,
        updated_at=act.now,
    )
    _apply(made, fields)
    # The conflict is decided by the unique key; `ignore_conflicts` keeps the
    # transaction usable, and what is stored afterwards says who won.
    Agent.objects.bulk_create([made], ignore_conflicts=True)
    if not Agent.objects.filter(id=agent_id).exists():
        _require_free(act.project, name)
    record(Action.AGENT_CREATED, made, act=act)
    return made


def update(*, act: Act, reference: str, fields: Mapping[str, Any]) -> Agent:
    """Set texts and tags; metadata is merged key by key, as Anchor's clients expect.

    Raises: AgentNotFound, AgentDeleted, InvalidRequest (also where nothing is asked
    for), PayloadTooLarge, UnacceptableJson.
    """
    with transaction.atomic():
        agent = locked(act.scope, reference)
        agent.require_kept()
        if not fields or fields == {"metadata": {}}:
            raise InvalidRequest("There is nothing to change.")
        changed = _apply(agent, fields)
        agent.updated_at = act.now
        agent.save(update_fields=[*changed, "updated_at"])
        record(
            Action.AGENT_UPDATED,
            agent,
            act=act,
            details={"fields": changed},
        )
    return agent


def _require_free(project: Project, external_id: str) -> None:
    taken = Agent.objects.of_project(project.id).named(external_id).first()
    if taken and taken.is_deleted:
        raise AgentDeleted(param="external_id", agent_id=taken.id)
    if taken:
        raise AgentExists(param="external_id", agent_id=taken.id)


def _apply(agent: Agent, fields: Mapping[str, Any]) -> list[str]:
    changed = [name for name in TEXT_FIELDS if name in fields]
    for name in changed:
        setattr(agent, name, _text(name, fields[name]))
    if "tags" in fields:
        agent.tags = _tags(fields["tags"])
        changed.append("tags")
    if "metadata" in fields:
        agent.metadata = _with_metadata(agent, fields["metadata"])
        changed.append("metadata")
    return changed


def _with_metadata(agent: Agent, patch: Any) -> bytes:
    patch = json.check(patch, at="/metadata")
    merged = json.dumps(json.merged(json.parse(bytes(agent.metadata)), patch))
    if len(merged) > MAX_METADATA_BYTES:
        raise PayloadTooLarge(
            f"metadata may have {MAX_METADATA_BYTES:,} bytes.",
            param="metadata",
            limit=MAX_METADATA_BYTES,
        )
    return merged


def _checked_name(name: str) -> None:
    if not name.strip() or len(name) > LONGEST_NAME or "\x00" in name:
        raise InvalidRequest(
            "An agent's external id is 1 to 255 characters, without NUL.",
            param="agent_id",
        )


def _text(name: str, value: Any) -> str:
    longest = LONGEST_DESCRIPTION if name == "description" else LONGEST_NAME
    if not isinstance(value, str) or len(value) > longest or "\x00" in value:
        raise InvalidRequest(
            f"{name} must be text of at most {longest:,} characters, without NUL.",
            param=name,
        )
    return value


def _tags(value: Any) -> list[str]:
    if (
        not isinstance(value, list)
        or len(value) > MOST_TAGS
        or not all(
            isinstance(tag, str) and 0 < len(tag) <= LONGEST_TAG for tag in value
        )
        or any("\x00" in tag for tag in value)
    ):
        raise InvalidRequest(
            f"tags is a list of at most {MOST_TAGS} texts of 1 to {LONGEST_TAG} "
            "characters, without NUL.",
            param="tags",
        )
    return value
