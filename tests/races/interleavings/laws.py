"""What must hold of the rows of a session after every order of its writers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg

from apps.audit import chain
from apps.audit.chain import Verification
from apps.audit.models import AuditRecord
from apps.timeline import verification
from tests import proof
from tests.proof import History

ACTIONS = {
    "create": "session.created",
    "fork": "session.forked",
    "rollback": "session.rolled_back",
    "revert": "session.reverted",
    "restore": "session.restored",
    "promote": "session.promoted",
    "reapply": "session.reapplied",
    "pause": "session.paused",
    "resume": "session.resumed",
    "close": "session.closed",
    "delete": "session.deleted",
}
EVENTS = """
SELECT action, number, count(*) FROM audit_event WHERE stream_id = %s GROUP BY 1, 2
"""


def problems(connection: psycopg.Connection[Any], history: History) -> list[str]:
    """Return what is wrong with one session, by two verifiers and its events."""
    return [
        *proof.problems(history),
        *map(str, verification.findings(history.session.id)),
        *_unmatched(connection, history),
    ]


def shape(history: History) -> Any:
    """Return what `serial.shape` tells of a model's session, of these rows."""
    versions = zip(history.versions, proof.states(history), strict=True)
    return (
        [(one.op, one.hold, one.restored_number, state) for one, state in versions],
        [(one.turn_number, one.head_number, one.made_version) for one in history.turns],
    )


def records(
    project_id: str, proven: Verification, count: int
) -> tuple[Verification, list[str]]:
    """Say whether the acts of people are chained, each once and nothing beside.

    Beginning behind what is proven already, which all orders of a group make longer.
    """
    records = AuditRecord.objects.for_project(project_id).oldest_first()
    verified = chain.verify(
        records.from_number(proven.count + 1), count=proven.count, chain=proven.chain
    )
    found = [] if verified.is_intact else [f"record {verified.broken_at} is broken"]
    if verified.count != count:
        found.append(f"{verified.count} records where there must be {count}")
    return verified, found


def _unmatched(connection: psycopg.Connection[Any], history: History) -> list[str]:
    """Hold the events against the versions and the turns: one of each, no other."""
    wanted: Counter[tuple[str, int]] = Counter()
    for version in history.versions:
        wanted[ACTIONS.get(version.op, "version.created"), version.number] += 1
    for turn in history.turns:
        wanted["turn.added", turn.head_number] += 1
    found: Counter[tuple[str, int]] = Counter()
    stream = history.versions[0].session_id
    for action, number, count in connection.execute(EVENTS, [stream]):
        found[action, number] = count
    return [
        f"{found[event]} events {event} where there must be {wanted[event]}"
        for event in sorted(found | wanted)
        if found[event] != wanted[event]
    ]


def not_as_its_origin(history: History) -> list[str]:
    """Say whether a fork that changed nothing shows just what it was forked from."""
    first, origin = history.versions[0], history.origin
    if origin is None or first.commitment != origin.commitment:
        return [f"{history.session.id}: version 0 is not what it was forked from"]
    return []
