"""Agents' data, config, checkpoints and audit, by both clients and a real server."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from stepback import Conflict, errors
from tests.live import Server


@pytest.fixture
def agent(sb: Any, agent_id: str) -> str:
    """An agent, by the name that its code gives it."""
    sb.agents.create(external_id=agent_id)
    return agent_id


def test_a_value_is_written_read_listed_found_and_deleted(sb: Any, agent: str) -> None:
    written = sb.data.write(agent, "user:1/seat", "12A by the window", {"by": "chat"})
    assert (written.allowed, written.version, written.blocked_by) == (True, 1, None)
    batch = sb.data.write_batch(agent, {"user:1/meal": "vegan", "user:2/seat": "3C"})
    assert [one.allowed for one in batch.results] == [True, True]
    assert batch.summary == {"total": 2, "allowed": 2, "blocked": 0}

    read = sb.data.read(agent, "user:1/seat")
    assert (read.value, read.metadata) == ("12A by the window", {"by": "chat"})
    page = sb.data.list(agent, "user:1/", limit=1)
    assert ([one.key for one in page], page.has_more) == (["user:1/meal"], True)
    rest = sb.data.list(agent, "user:1/", cursor=page.next_cursor, full=True)
    assert [one.value for one in rest] == ["12A by the window"]
    found = sb.data.search(agent, "window", min_similarity=0.5)
    assert [one["key"] for one in found.results] == ["user:1/seat"]
    assert (found.method, found.pending, found.stale, found.why) == (
        *("meaning", 0, 0),
        None,
    )
    assert sb.data.search(agent, "window", method="words").method == "words"

    changed = sb.data.write(agent, "user:1/seat", "1A", expected_version=1)
    with pytest.raises(Conflict):
        sb.data.write(agent, "user:1/seat", "2A", expected_version=1)
    assert sb.data.delete(agent, "user:1/seat").deleted == 1
    with pytest.raises(errors.KeyNotFound):
        sb.data.read(agent, "user:1/seat")
    assert sb.data.read(agent, "user:1/seat", at=changed.number).value == "1A"
    told = sb.data.versions(agent, "user:1/seat")
    assert [one.cause for one in told] == ["removed", "set", "set"]
    assert sb.data.delete_prefix(agent, "user:").deleted_count == 2
    assert sb.data.list(agent).data == ()


def test_a_config_is_set_blocks_and_is_rolled_back(sb: Any, agent: str) -> None:
    assert sb.config.get(agent).version == "v0"
    set_ = sb.config.update(agent, {"policies": {"block_pii": True}, "tone": "dry"})
    assert (set_.version, set_.previous_version) == ("v1", "v0")

    blocked = sb.data.write(agent, "user:1", "jo@example.org")

    assert (blocked.allowed, blocked.blocked_by) == (False, "policy:block_pii")
    assert blocked.reason == blocked.message
    assert "jo@example.org" not in json.dumps(dict(blocked.raw))
    with pytest.raises(errors.InvalidPolicy) as refused:
        sb.config.update(agent, {"policies": {"block_pi": True}})
    assert refused.value.param == "/policies/block_pi"
    back = sb.config.rollback(agent, "v0", "Nobody has e-mail here")
    assert (back.version, back.config) == ("v2", {})
    assert [one.version for one in sb.config.versions(agent)] == ["v2", "v1"]
    assert sb.config.get_version(agent, "v1").config["tone"] == "dry"
    assert sb.data.write(agent, "user:1", "jo@example.org").allowed


def test_only_an_administrators_key_overrides_policies(
    connect: Any, live: Server, agent: str
) -> None:
    sb, why = connect(), "The customer asked for it in writing."
    admin = connect(api_key=live.key("stepback-client", "--scope", "admin"))
    sb.config.update(agent, {"policies": {"block_pii": True}})

    with pytest.raises(errors.PermissionDenied):
        sb.data.write(agent, "user:1", "jo@example.org", override_reason=why)
    one = admin.data.write(agent, "user:1", "jo@example.org", override_reason=why)
    entries = {"user:2": "al@example.org"}
    (other,) = admin.data.write_batch(agent, entries, override_reason=why).results

    for written in (one, other):
        assert (written.allowed, written.floor) == (True, False)
        assert written.override["rule"] == "policy:block_pii"
        assert written.override["reason"] == why


def test_an_exception_is_made_listed_and_ended(
    connect: Any, live: Server, agent: str
) -> None:
    admin = connect(api_key=live.key("stepback-client", "--scope", "admin"))
    admin.config.update(agent, {"policies": {"block_pii": True}})
    blocked = admin.data.write(agent, "help", "ask help@example.org")

    made = admin.exceptions.create(
        agent, "Our own address", audit_id=blocked.audit_id, days=2
    )
    written = admin.data.write(agent, "help", "ask help@example.org")
    ended = admin.exceptions.end(agent, made.id)

    assert (made.active, made.rule, made.kind) == (True, "policy:block_pii", "email")
    assert (written.allowed, written.exceptions) == (True, [made.id])
    assert not ended.active
    assert admin.exceptions.get(agent, made.id).ended_at
    assert [one.id for one in admin.exceptions.list(agent)] == [made.id]
    assert not admin.data.write(agent, "help", "ask help@example.org").allowed


def test_checkpoints_are_made_on_a_schedule_until_it_ends(sb: Any, agent: str) -> None:
    assert sb.checkpoints.schedule(agent).schedule is None
    assert sb.checkpoints.set_schedule(agent, "daily").next_at
    assert sb.checkpoints.schedule(agent).schedule == "daily"
    assert sb.checkpoints.set_schedule(agent, None).next_at is None


def test_a_checkpoint_is_made_compared_restored_and_deleted(
    sb: Any, agent: str
) -> None:
    sb.data.write(agent, "a", "1")
    made = sb.checkpoints.create(agent_id=agent, label="before-migration")
    assert (made.label, made.entry_count, made.hint) == ("before-migration", 1, None)
    sb.data.write(agent, "a", "2")
    sb.data.write(agent, "b", "3")
    later = sb.checkpoints.create(agent, "test")
    assert later.hint is not None
    assert [one.id for one in sb.checkpoints.list(agent)] == [later.id, made.id]
    details = sb.checkpoints.get(agent, made.id)
    assert [one["value"] for one in details.checkpoint["data_snapshot"]] == ["1"]
    differs = sb.checkpoints.compare(agent, made.id, later.id)
    assert (differs.added, differs.changed) == (["b"], ["a"])

    told = sb.checkpoints.preview_restore(agent, made.id)
    assert (told.data["set"]["keys"], told.data["removed"]["keys"]) == (["a"], ["b"])
    assert sb.data.read(agent, "a").value == "2"
    sb.data.write(agent, "c", "4")
    with pytest.raises(Conflict):
        sb.checkpoints.restore(
            agent, made.id, expected_version=told.expected_version, reasoning="Unseen"
        )
    result = sb.checkpoints.restore(agent_id=agent, checkpoint_id=made.id)
    assert (result.checkpoint_id, result.verified) == (made.id, True)
    assert (result.entries_restored, result.entries_removed) == (1, 2)
    assert [one.value for one in sb.data.list(agent, full=True)] == ["1"]

    assert sb.checkpoints.delete(agent, made.id).deleted
    with pytest.raises(errors.CheckpointNotFound):
        sb.checkpoints.restore(agent, made.id)


def test_the_audit_is_queried_verified_and_exported(sb: Any, agent: str) -> None:
    written = sb.data.write(agent, "a", "1")
    sb.data.read(agent, "a")

    events = sb.audit.query(agent, operations=["data.write", "data.read"])

    assert [one.operation for one in events] == ["data.read", "data.write"]
    assert events.total == 2
    assert sb.audit.get(agent, written.audit_id).resource == "a"
    proof = sb.audit.verify(agent)
    assert (proof.valid, proof.first_invalid, proof.has_more) == (True, None, False)
    export = sb.audit.export(agent, start=written.audit_id)
    lines = httpx.get(export.download_url, timeout=60).text.splitlines()
    assert export.event_count == 2
    assert any(json.loads(line).get("id") == written.audit_id for line in lines)


@pytest.mark.parametrize(
    "key", ["", ".", "..", "a/../b", "batch", "search", "prefix/a", "a/full"]
)
def test_a_key_that_is_another_address_is_not_asked_for(
    sb: Any, agent: str, key: str
) -> None:
    sb.data.write(agent, "a", "kept")

    for call in (sb.data.read, sb.data.versions, sb.data.delete):
        with pytest.raises(ValueError, match="No data has the key"):
            call(agent, key)
    for reference in ("", ".", ".."):
        with pytest.raises(ValueError, match="names nothing"):
            sb.agents.delete(reference)

    assert sb.data.read(agent, "a").value == "kept"
