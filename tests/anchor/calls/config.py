"""Proofs of `anchor.config`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.anchor.calls import Given, proves
from tests.anchor.releases import Raised

FIRST = {"behavior": {"instructions": "You are helpful", "constraints": ["Be brief"]}}
SECOND = {"policies": {"block_pii": True, "retention_days": 90}, "n": [1, None, 2.5]}


def made(given: Given) -> str:
    return str(given.anchor.agents.create(name="configured").id)


def configured(given: Given) -> tuple[str, Any, Any]:
    agent_id = made(given)
    first = given.anchor.config.update(agent_id, FIRST)
    return agent_id, first, given.anchor.config.update(agent_id, SECOND)


@proves("config.get")
def get(given: Given) -> None:
    agent_id = made(given)

    none = given.anchor.config.get(agent_id)

    assert (none.kind, none.agent_id, none.version) == ("Config", agent_id, "v0")
    assert (none.config, none.previous_version) == ({}, None)
    newest = given.anchor.config.update(agent_id, FIRST)
    assert given.anchor.config.get(agent_id) == newest


@proves("config.update")
def update(given: Given) -> None:
    agent_id, first, second = configured(given)

    assert (first.version, first.previous_version) == ("v1", "v0")
    assert (second.version, second.previous_version) == ("v2", "v1")
    assert second.config == SECOND
    assert second.created_at >= first.created_at
    assert second.audit_id.startswith("aud_")
    assert second.created_by.startswith("anc_")
    assert given.anchor.config.update(agent_id, SECOND) == second
    assert given.anchor.agents.get(agent_id).config_version == "v2"
    with pytest.raises(Raised) as refused:
        given.anchor.config.update(agent_id, {"policies": {"block_pi": True}})
    assert (refused.value.kind, refused.value.status_code) == ("ValidationError", 400)
    assert refused.value.facts["field"] == "/policies/block_pi"


@proves("config.versions")
def versions(given: Given) -> None:
    agent_id, first, second = configured(given)

    found = given.anchor.config.versions(agent_id)

    assert [one.version for one in found] == ["v2", "v1"]
    assert [one.created_at for one in found] == [second.created_at, first.created_at]
    assert {one.summary for one in found} == {"Set"}
    assert [one.version for one in given.anchor.config.versions(agent_id, limit=1)] == [
        "v2"
    ]


@proves("config.get_version")
def get_version(given: Given) -> None:
    agent_id, first, second = configured(given)

    assert given.anchor.config.get_version(agent_id, "v1") == first
    assert given.anchor.config.get_version(agent_id, "v2") == second
    with pytest.raises(Raised) as refused:
        given.anchor.config.get_version(agent_id, "v3")
    assert (refused.value.kind, refused.value.status_code) == ("NotFoundError", 404)


@proves("config.rollback")
def rollback(given: Given) -> None:
    agent_id, first, _ = configured(given)

    third = given.anchor.config.rollback(agent_id, "v1")

    assert (third.version, third.previous_version) == ("v3", "v2")
    assert third.config == first.config
    assert given.anchor.config.get(agent_id) == third
    assert given.anchor.config.rollback(agent_id, "v0").config == {}
    with pytest.raises(Raised) as refused:
        given.anchor.config.rollback(agent_id, "v9")
    assert refused.value.kind == "NotFoundError"
