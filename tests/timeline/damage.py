"""A history with one of everything, and ways to damage it as a disk would.

Past the trigger, and past the constraints once they are dropped, which the end of the
test's transaction undoes.
"""

from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from django.db import connection

from apps.core import sql
from apps.core.roles.names import Role
from tests.acting import acting_as, tampering
from tests.timeline import runs

STEP = {
    "reasoning": "The customer asked for Tokyo.",
    "step_number": 3,
    "parent_id": "step-2",
    "objective_status": "In Progress",
    "schema_version": "2",
    "release": "2026.3",
    "model": "large-1",
    "trace_id": "trace-of-the-agent",
}
# What the proof covers, by table.
PROVEN = {
    "timeline_version": (
        "op",
        "restored_number",
        "undo_of",
        "source_session_id",
        "source_number",
        "source_digest",
        "source_opaque",
        "reason_code",
        "parent_number",
        "body_number",
        "external_id",
        "actor_kind",
        "actor_id",
        "reasoning",
        "trace_id",
        "step_number",
        "step_parent_id",
        "objective_status",
        "schema_version",
        "release",
        "model",
        "hold",
        "request_key",
        "salt",
        "reasoning_digest",
        "step_digest",
        "commitment",
        "leaf",
        "chain",
        "requested_at",
        "created_at",
    ),
    "timeline_body": (
        "base_number",
        "depth",
        "codec",
        "salt",
        "data",
        "size",
    ),
    "timeline_turn": (
        "id",
        "head_number",
        "made_version",
        "before_number",
        "state_after_sent",
        "actor_kind",
        "actor_id",
        "reasoning",
        "trace_id",
        "input_type",
        "output_type",
        "codec",
        "data",
        "size",
        "request_key",
        "salt",
        "reasoning_digest",
        "commitment",
        "leaf",
        "chain",
        "requested_at",
        "created_at",
        "usage",
        "spent",
    ),
    "timeline_session": (
        "project_id",
        "created_at",
        "origin_session_id",
        "origin_number",
    ),
}
# What turns from before there was a chain of turns have not.
TURN_PROOF = (
    "salt",
    "reasoning_digest",
    "commitment",
    "leaf",
    "chain",
    "requested_at",
)
CONSTRAINTS = (("timeline_version", "timeline_version_restores_an_earlier_one"),)
# What a table counts its rows of a session by; the session's own row has none.
NUMBERED = {
    "timeline_version": "number",
    "timeline_body": "number",
    "timeline_turn": "turn_number",
}


class Place(NamedTuple):
    """One stored value; `number` None: of the session's own row."""

    table: str
    session_id: str
    number: int | None
    column: str
    value: Any


def make_history(begin: runs.Begin) -> runs.Run:
    """Return a fork with one of every kind of version after its first, closed."""
    origin = begin(
        {"city": "Kyoto", "nights": 3, "guests": ["Ann", "Bo"], "price": 1e23},
        messages=[{"role": "user", "content": "Hi"}],
    )
    origin.patch({"city": "Osaka", "nights": 4})
    run = origin.fork(version=1)
    run.patch({"city": "Tokyo", "price": 0.1}, **STEP, external_id="step-3")
    said = {"input": {"type": "ask", "content": "Where?"}, "output": "x" * 500}
    kept = {"state_before": run.state, "state_after": {"city": None, "text": "x" * 500}}
    answer = run.client.post(
        run.path("turns"),
        {**said, **kept, "reasoning": "Asked.", "trace_id": "trace-1"},
        Idempotency_Key="turn-1",
    )
    assert answer.status == 201
    run.turn()
    run.client.put(
        run.path("state"),
        b'{"state": {"n": 1180591620717411303424, "m": -0.0, "z": "\\u0000"}}',
        Idempotency_Key="put-1",
    )
    run.rollback(1, reason="wrong", reason_code="bad_tool", hold=True)
    run.hold("resume", reason="looked at it")
    run.patch({"city": "Tokyo"})
    run.patch({"guests": ["Cy", "Ann", "Bo"], "city": "Nara"})
    run.hold("pause")
    run.rollback(-1)
    run.rollback(2)
    run.hold("close", reason="done")
    return run


def damage(place: Place, value: Any) -> None:
    """Store another value, past the trigger."""
    table, session_id, number, column, _ = place
    params = [value, session_id] + ([] if number is None else [number])
    where = "id = %s"
    if number is not None:
        where = f"session_id = %s AND {NUMBERED[table]} = %s"
    with tampering(table), connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {column} = %s WHERE {where}", params)
        assert cursor.rowcount == 1


def drop_constraints() -> None:
    """Let the transaction of a test store what no statement could."""
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table, name in CONSTRAINTS:
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")


def flipped(draw: Random, value: Any) -> Any:
    """Return the value with one bit flipped, as its column can still hold it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, datetime):
        return value + timedelta(
            microseconds=draw.choice([1, -1]) << draw.randrange(45)
        )
    if isinstance(value, int):
        return value ^ (1 << draw.randrange(14))
    data = bytearray(value.encode() if isinstance(value, str) else value)
    at = draw.randrange(len(data))
    data[at] ^= 1 << draw.randrange(5 if isinstance(value, str) else 8)
    if isinstance(value, str):
        return flipped(draw, value) if not data[at] else data.decode()
    return bytes(data)


def places(session_id: str) -> list[Place]:
    """Return every stored value that the proof covers."""
    found = []
    for table, columns in PROVEN.items():
        key = "id" if table == "timeline_session" else "session_id"
        for row in sql.rows(f"SELECT * FROM {table} WHERE {key} = %s", [session_id]):
            for column in columns:
                value = getattr(row, column)
                if value is not None:
                    number = getattr(row, NUMBERED.get(table, ""), None)
                    found.append(Place(table, session_id, number, column, value))
    return found


def place_of(run: runs.Run, table: str, number: int | None, column: str) -> Place:
    wanted = (f"timeline_{table}", number, column)
    (found,) = [
        place
        for place in places(run.id)
        if (place.table, place.number, place.column) == wanted
    ]
    return found


def picked(draw: Random, found: list[Place]) -> Place:
    """Return one of these values; longer ones are hit more often, as on a disk."""
    weights = [
        len(place.value) if isinstance(place.value, str | bytes) else 8
        for place in found
    ]
    return draw.choices(found, weights)[0]


def unchain(session_id: str, *turn_numbers: int) -> None:
    """Leave turns as they were before there was a chain of turns."""
    for turn_number in turn_numbers:
        for column in TURN_PROOF:
            damage(Place("timeline_turn", session_id, turn_number, column, None), None)


def delete(session_id: str, number: int) -> None:
    """Take a version out, and leave its body."""
    with tampering("timeline_version"), connection.cursor() as cursor:
        for table in ("change", "version"):
            cursor.execute(
                f"DELETE FROM timeline_{table} WHERE session_id = %s AND number = %s",
                [session_id, number],
            )
