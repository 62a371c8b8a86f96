"""Proofs of `anchor.audit`."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import httpx
import pytest

from tests.anchor.calls import Given, proves
from tests.anchor.releases import Raised

MAIL = "ann.planted@example.com"


def made(given: Given) -> str:
    """Return an agent that has written a key, and was blocked once."""
    agent_id = str(given.anchor.agents.create(name="audited").id)
    given.anchor.config.update(agent_id, {"policies": {"block_pii": True}})
    given.anchor.data.write(agent_id, "seat", "aisle")
    given.anchor.data.write(agent_id, "contact", MAIL)
    return agent_id


@proves("audit.query")
def query(given: Given) -> None:
    agent_id = made(given)

    newest, older = given.anchor.audit.query(agent_id, operations=["data.write"])

    assert newest.kind == "AuditEvent"
    assert newest.id.startswith("aud_")
    assert (newest.agent_id, newest.operation) == (agent_id, "data.write")
    assert (newest.resource, newest.result) == ("contact", "blocked")
    assert newest.blocked_by == "policy:block_pii"
    assert (older.resource, older.result, older.blocked_by) == (
        *("seat", "allowed"),
        None,
    )
    assert newest.timestamp.utcoffset() == timedelta(0)
    assert newest.previous_hash == older.hash != newest.hash
    assert newest.metadata["kind"] == "email"
    assert MAIL not in str(newest)
    every = given.anchor.audit.query(agent_id)
    assert [one.operation for one in every] == [
        *("data.write", "data.write", "config.update", "agent.created"),
    ]
    assert given.anchor.audit.query(agent_id, limit=1) == every[:1]
    since, until = older.timestamp, newest.timestamp
    assert given.anchor.audit.query(agent_id, start_time=since, end_time=until) == [
        older
    ]
    with pytest.raises(Raised) as refused:
        given.anchor.audit.query(agent_id, operations=["data.guess"])
    assert refused.value.kind == "ValidationError"


@proves("audit.get")
def get(given: Given) -> None:
    agent_id = made(given)
    newest = given.anchor.audit.query(agent_id, limit=1)[0]

    assert given.anchor.audit.get(agent_id, newest.id) == newest
    other = given.anchor.agents.create(name="other").id
    for about in ((agent_id, "aud_nothing"), (other, newest.id)):
        with pytest.raises(Raised) as refused:
            given.anchor.audit.get(*about)
        assert refused.value.kind == "NotFoundError"


@proves("audit.verify")
def verify(given: Given) -> None:
    agent_id = made(given)
    events = given.anchor.audit.query(agent_id)

    whole = given.anchor.audit.verify(agent_id)
    rest = given.anchor.audit.verify(agent_id, start_time=events[1].timestamp)

    assert whole.kind == "Verification"
    assert (whole.valid, whole.events_checked) == (True, 4)
    assert (whole.chain_start, whole.chain_end) == (events[-1].hash, events[0].hash)
    assert isinstance(whole.verified_at, datetime)
    assert whole.first_invalid is None
    assert (rest.valid, rest.events_checked) == (True, 2)
    assert rest.chain_start == events[1].hash


@proves("audit.export")
def export(given: Given) -> None:
    agent_id = made(given)
    events = given.anchor.audit.query(agent_id)[::-1]

    lines = given.anchor.audit.export(agent_id)
    table = given.anchor.audit.export(
        agent_id,
        format="csv",
        start_time=events[0].timestamp,
        end_time=events[-1].timestamp,
        include_verification=False,
    )

    assert lines.kind == "ExportResult"
    assert lines.export_id.startswith("exp_")
    assert (lines.format, lines.event_count) == ("json", 4)
    assert lines.expires_at > lines.verification.verified_at
    assert lines.verification.valid is True
    file = httpx.get(lines.download_url).raise_for_status()
    told = [json.loads(line) for line in file.text.splitlines()]
    assert [one["hash"] for one in told] == [one.hash for one in events]
    assert (table.format, table.event_count, table.verification) == ("csv", 3, None)
    assert "contact" not in httpx.get(table.download_url).raise_for_status().text
