"""Proofs of `anchor.data`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.anchor.calls import Given, proves
from tests.anchor.releases import Raised

METADATA = {"source": "chat", "scores": [1, 2.5, None]}


def made(given: Given, **policies: Any) -> str:
    agent_id = str(given.anchor.agents.create(name="keeper").id)
    if policies:
        given.anchor.config.update(agent_id, {"policies": policies})
    return agent_id


@proves("data.write")
def write(given: Given) -> None:
    agent_id = made(given, block_pii=True, retention_days=2)

    written = given.anchor.data.write(agent_id, "user:1:a b/ü", "dark", METADATA)
    blocked = given.anchor.data.write(agent_id, "user:1:mail", "ann@example.com")

    assert (written.kind, written.key) == ("WriteResult", "user:1:a b/ü")
    assert (written.allowed, written.blocked_by, written.reason) == (True, None, None)
    assert written.audit_id.startswith("aud_")
    assert written.expires_at - written.created_at == timedelta(days=2)
    assert (blocked.allowed, blocked.blocked_by) == (False, "policy:block_pii")
    assert "e-mail" in blocked.reason
    assert given.anchor.data.read(agent_id, "user:1:mail") is None
    with pytest.raises(Raised) as refused:
        given.anchor.data.write(agent_id, "a?b", "v")
    assert (refused.value.kind, refused.value.facts["field"]) == (
        "ValidationError",
        "key",
    )


@proves("data.write_batch")
def write_batch(given: Given) -> None:
    agent_id = made(given, block_secrets=True)

    found = given.anchor.data.write_batch(
        agent_id, {"a": "1", "b": "AKIAIOSFODNN7EXAMPLE", "c": "3"}
    )

    assert [(one.key, one.allowed) for one in found] == [
        ("a", True),
        ("b", False),
        ("c", True),
    ]
    assert found[1].blocked_by == "policy:block_secrets"
    assert given.anchor.data.list(agent_id) == ["a", "c"]


@proves("data.read")
def read(given: Given) -> None:
    agent_id = made(given)
    keys = ["user:1:a b/ü", "100%", "a//b", "chat:20260101:human:2026-01-01T00:00:00"]
    for key in keys:
        given.anchor.data.write(agent_id, key, f"of {key}")

    assert [given.anchor.data.read(agent_id, key) for key in keys] == [
        f"of {key}" for key in keys
    ]
    assert given.anchor.data.read(agent_id, "nothing") is None


@proves("data.read_full")
def read_full(given: Given) -> None:
    agent_id = made(given)
    first = given.anchor.data.write(agent_id, "a", "1", METADATA)
    second = given.anchor.data.write(agent_id, "a", "2", METADATA)

    entry = given.anchor.data.read_full(agent_id, "a")

    assert (entry.kind, entry.key, entry.value) == ("DataEntry", "a", "2")
    assert entry.metadata == METADATA
    assert (entry.created_at, entry.updated_at) == (first.created_at, second.created_at)
    assert entry.expires_at is None
    assert entry.audit_id.startswith("aud_")
    assert given.anchor.data.read_full(agent_id, "nothing") is None


@proves("data.delete")
def delete(given: Given) -> None:
    agent_id = made(given)
    given.anchor.data.write(agent_id, "a b/c", "v")

    assert given.anchor.data.delete(agent_id, "a b/c") is True

    assert given.anchor.data.read(agent_id, "a b/c") is None
    with pytest.raises(Raised) as refused:
        given.anchor.data.delete(agent_id, "nothing")
    assert refused.value.kind == "NotFoundError"


@proves("data.delete_prefix")
def delete_prefix(given: Given) -> None:
    agent_id = made(given)
    given.anchor.data.write_batch(agent_id, {"a:1": "v", "a:2": "v", "b": "v"})

    assert given.anchor.data.delete_prefix(agent_id, "a:") == 2
    assert given.anchor.data.delete_prefix(agent_id, "c:") == 0

    assert given.anchor.data.list(agent_id) == ["b"]
    with pytest.raises(Raised) as refused:
        given.anchor.data.delete_prefix(agent_id, "")
    assert refused.value.kind == "ValidationError"


@proves("data.list")
def list_(given: Given) -> None:
    agent_id = made(given)
    given.anchor.data.write_batch(agent_id, {"b": "v", "a:2": "v", "a:1": "v"})

    assert given.anchor.data.list(agent_id) == ["a:1", "a:2", "b"]
    assert given.anchor.data.list(agent_id, prefix="a:", limit=1) == ["a:1"]
    assert given.anchor.data.list(agent_id, prefix="c") == []


@proves("data.search")
def search(given: Given) -> None:
    agent_id = made(given)
    given.anchor.data.write(agent_id, "user:1", "Prefers dark mode", METADATA)
    given.anchor.data.write(agent_id, "user:2", "Prefers light mode")

    found = given.anchor.data.search(agent_id, "dark mode")
    near = given.anchor.data.search(
        agent_id, "dark mode", limit=5, prefix="user:", min_similarity=0.5
    )

    assert (found[0].kind, found[0].key) == ("SearchResult", "user:1")
    assert (found[0].value, found[0].similarity) == ("Prefers dark mode", 1.0)
    assert found[0].metadata == METADATA
    assert [one.key for one in near] == ["user:1", "user:2"]
