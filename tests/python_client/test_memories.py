"""Memories by both clients, by MCP, and brought along from mem0."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from stepback import Conflict, errors
from stepback.mcp.server import made
from stepback.migration import import_mem0
from tests.live import Server
from tests.python_client.test_mcp import Caller


@pytest.fixture
def session(sb: Any, agent_id: str) -> Any:
    """A session of a user that no other test has."""
    return sb.sessions.create(agent_id, user_id=f"user of {agent_id}")


def test_a_memory_is_added_found_changed_and_deleted(sb: Any, session: Any) -> None:
    made = sb.memory.add(
        "Prefers aisle seats", "preference", session.id, ["seats"], {"by": "chat"}
    )
    assert (made.scope, made.session_id, made.version) == ("session", session.id, 1)
    sb.memory.add("Is vegetarian", session_id=session.id, scope="user", confidence=0.3)

    (found,) = sb.memory.search("aisle seat", session.id, tags=["seats"]).memories
    assert (found.id, found.type) == (made.id, "preference")
    assert found.score >= 0.7
    (listed,) = sb.memory.list(session.id, types="preference", tags="seats")
    assert listed.id == made.id
    (proposed,) = sb.memory.list(session.id, status="proposed")
    with pytest.raises(errors.PermissionDenied):
        sb.memory.resolve(proposed.id, "accept")
    assert sb.memory.resolve(proposed.id, "drop").memories[0].status == "dropped"
    context = sb.sessions.get_context(session.id, "aisle seat")
    assert context.memories[0]["id"] == made.id
    assert (context.drift_warning, context.average_relevance > 0) == (False, True)

    changed = sb.memory.update(made.id, "Prefers window seats", expected_version=1)
    with pytest.raises(Conflict):
        sb.memory.update(made.id, "Prefers any seat", expected_version=1)
    assert sb.memory.replace(made.id, metadata={"a": 1}).metadata == {"a": 1}
    assert changed.metadata == {"by": "chat"}
    sb.memory.delete(made.id)
    with pytest.raises(errors.MemoryNotFound):
        sb.memory.get(made.id)
    told = sb.memory.versions(made.id)
    assert [one.cause for one in told] == ["removed", "set", "set", "set"]


def test_what_a_session_taught_is_forgotten_and_brought_back(
    sb: Any, session: Any
) -> None:
    sb.memory.add("Lives in Rome", session_id=session.id, scope="user")

    shown = sb.memory.preview_step_back(from_session=session.id)
    done = sb.memory.forget_session(session.id, reasoning="It was fooled.")

    assert (shown.dry_run, shown.count, done.count) == (True, 1, 1)
    assert list(sb.memory.list(user_id=session.user_id, scope="user")) == []
    (owner,) = done.owners
    named = {"user_id": session.user_id, "scope": "user"}
    assert sb.memory.step_back(version=owner["number"], **named).count == 1
    (back,) = sb.memory.list(**named)
    assert back.content == "Lives in Rome"


def test_an_agent_is_set_to_form_memories(sb: Any, session: Any) -> None:
    agent = sb.memory.set_formation(session.agent_id, "tags").agent_id
    found = sb.memory.formation(agent)
    assert (found.mode, found.endpoint, found.given_up) == ("tags", False, 0)

    with pytest.raises(errors.InvalidRequest, match="STEPBACK_FORMATION_URL"):
        sb.memory.set_formation(agent, "llm")
    assert sb.memory.set_formation(agent, "off").mode == "off"


def test_an_export_of_mem0_is_imported_once(
    sb: Any, session: Any, tmp_path: Path
) -> None:
    items = [
        {
            "id": f"{session.id}-{number}",
            "memory": f"Likes dish {number}",
            "user_id": session.user_id,
            "hash": "h",
            "created_at": "2025-05-01T10:00:00-07:00",
        }
        for number in range(1_001)
    ]
    items.append({"id": "lost", "memory": "Ran away", "run_id": "run-7"})
    items.append({"id": "empty", "memory": None})
    file = tmp_path / "export.json"
    file.write_text(json.dumps({"results": items}))

    first, again = import_mem0(file, sb), import_mem0(file, sb)

    assert (first.imported, first.refused, again.imported) == (1_001, 2, 0)
    assert again.known == 1_001
    assert [(one["index"], one["id"], one["code"]) for one in first.problems] == [
        (1_001, "lost", "session_not_found"),
        (1_002, "empty", "invalid_request"),
    ]
    (found,) = sb.memory.search("dish 1000", user_id=session.user_id, limit=1).memories
    assert found.content == "Likes dish 1000"
    for text in ("{}", "[" * 200_000):
        file.write_text(text)
        with pytest.raises(ValueError, match="no export of mem0"):
            import_mem0(file, sb)


def test_tools_remember_and_recall(live: Server, secret: str, session: Any) -> None:
    async def story() -> None:
        async with Client(made(live.url, secret, "stdio")) as client:
            call = Caller(client)
            kept = await call(
                "remember",
                content="Prefers aisle seats",
                type="preference",
                session_id=session.id,
                scope="user",
            )
            assert (kept["scope"], kept["user_id"]) == ("user", session.user_id)
            found = await call("recall", query="where to sit", user_id=session.user_id)
            (memory, *_) = found["memories"]
            assert (memory["id"], memory["content"]) == (
                kept["id"],
                "Prefers aisle seats",
            )
            assert "data" in found["note"]
            # Whether all was looked at: else none that was found would mean little.
            assert (found["truncated"], found["stale"], found["why"]) == (
                False,
                0,
                None,
            )
            assert found["pending"] == 0
            missing = await call("remember", content="x", session_id="sess_0")
            assert missing["error"].startswith("remember failed: ")
            assert (await call("recall", query=" "))["error"] == "Say what to recall."

    asyncio.run(story())
