"""Proofs of the client itself and of `anchor.agents`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.anchor.calls import Given, proves
from tests.anchor.releases import Raised

METADATA = {"environment": "production", "version": "1.0.0", "limits": [1, None]}


def stored(given: Given, agent_id: str) -> dict[str, Any]:
    """Return what the API says of an agent."""
    answer = given.rest.get(f"/v1/agents/{agent_id}")
    answer.raise_for_status()
    return dict(answer.json())


def made(given: Given, **metadata: Any) -> Any:
    return given.anchor.agents.create(name="support-bot", metadata=metadata)


def listed(given: Given, **query: Any) -> list[str]:
    return [one.id for one in given.anchor.agents.list(limit=100, **query)]


def writes(given: Given, agent_id: str) -> tuple[int, str | None]:
    """Return what beginning a session of the agent answers: status and error code."""
    answer = given.rest.post("/v1/sessions", json={"agent_id": agent_id})
    return answer.status_code, answer.json().get("error", {}).get("code")


@proves("agents.create")
def create(given: Given) -> None:
    agent = given.anchor.agents.create(name="support-bot", metadata=METADATA)

    assert agent.kind == "Agent"
    assert agent.id.startswith("agent_")
    assert (agent.name, agent.status) == ("support-bot", "active")
    assert agent.metadata == METADATA
    assert (agent.data_count, agent.checkpoint_count) == (0, 0)
    assert agent.config_version is None
    assert agent.created_at == agent.updated_at
    assert agent.created_at.utcoffset() == timedelta(0)
    assert stored(given, agent.id)["config"] == METADATA
    bare = given.anchor.agents.create("support-bot")
    assert (bare.name, bare.metadata) == ("support-bot", {})
    assert bare.id != agent.id


@proves("agents.get")
def get(given: Given) -> None:
    agent = made(given, k=1)

    assert given.anchor.agents.get(agent.id) == agent
    with pytest.raises(Raised) as refused:
        given.anchor.agents.get("agent_" + "0" * 26)
    assert (refused.value.kind, refused.value.status_code) == ("NotFoundError", 404)
    assert refused.value.message == "There is no such agent in this project."


@proves("agents.list")
def list_(given: Given) -> None:
    older, newer = made(given, n=1), made(given, n=2)
    given.anchor.agents.suspend(older.id)

    assert [one.id for one in given.anchor.agents.list(limit=2)] == [newer.id, older.id]
    assert [one.id for one in given.anchor.agents.list(limit=1, offset=1)] == [older.id]
    assert given.anchor.agents.list(limit=1)[0] == newer
    assert older.id in listed(given, status="suspended")
    assert older.id not in listed(given, status="active")
    assert newer.id in listed(given, status="active")


@proves("agents.update")
def update(given: Given) -> None:
    agent = made(given, kept=1, changed=1)
    said = {"owner": "ann", "team": "money", "tags": ["eu"], "description": "Refunds"}
    given.rest.put(f"/v1/agents/{agent.id}", json=said).raise_for_status()

    changed = given.anchor.agents.update(agent.id, metadata={"changed": 2, "new": []})

    assert changed.metadata == {"kept": 1, "changed": 2, "new": []}
    assert changed.updated_at > changed.created_at == agent.created_at
    assert stored(given, agent.id).items() >= said.items()


@proves("agents.suspend")
def suspend(given: Given) -> None:
    agent = made(given)

    suspended = given.anchor.agents.suspend(agent.id)

    assert (suspended.id, suspended.status) == (agent.id, "suspended")
    assert given.anchor.agents.get(agent.id) == suspended
    assert given.anchor.agents.suspend(agent.id) == suspended
    assert writes(given, agent.id) == (403, "agent_suspended")


@proves("agents.activate")
def activate(given: Given) -> None:
    agent = made(given)
    given.anchor.agents.suspend(agent.id)

    active = given.anchor.agents.activate(agent.id)

    assert (active.id, active.status) == (agent.id, "active")
    assert writes(given, agent.id) == (201, None)


@proves("agents.delete")
def delete(given: Given) -> None:
    agent = made(given)
    with pytest.raises(Raised) as refused:
        given.anchor.agents.delete(agent.id)
    assert (refused.value.kind, refused.value.status_code) == (
        "AuthorizationError",
        403,
    )
    assert refused.value.facts["required_permission"] == "admin"

    assert given.admin.agents.delete(agent.id) is True

    assert given.anchor.agents.get(agent.id).status == "deleted"
    assert agent.id not in listed(given)
    assert agent.id in listed(given, status="deleted")
    assert writes(given, agent.id) == (403, "agent_deleted")
    with pytest.raises(Raised, match="an administrator brings it back"):
        given.anchor.agents.update(agent.id, metadata={"k": 1})
    assert given.admin.agents.activate(agent.id).status == "active"
    assert agent.id in listed(given)


@proves("get_workspace_id")
def get_workspace_id(given: Given) -> None:
    mine = given.rest.get("/v1/project").json()["id"]

    assert given.anchor.get_workspace_id() == mine
