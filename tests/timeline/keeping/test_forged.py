"""A tombstone, an event of a removal or an emptied version that is forged is named.

Everything is changed past the triggers, as somebody who owns the database could; what
was rewritten as a whole, with all its digests, the signed roots name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from apps.core import sql
from apps.core.roles.names import Role
from apps.timeline.models import Tombstone, Version
from apps.timeline.verification import Kind, findings
from tests.acting import acting_as, erasing
from tests.timeline import damage, runs
from tests.timeline.keeping.taking import REMOVAL, empty, prune

pytestmark = pytest.mark.django_db

PRUNED, EMPTIED = (1, 4), (6, 8)
RANGES = {"pruned": PRUNED, "emptied": EMPTIED}
COLUMNS = [field.column for field in Tombstone._meta.concrete_fields if field.column]


@pytest.fixture
def thinned(begin: runs.Begin) -> runs.Run:
    """A session that lost v1 to v4, and of v6 to v8 what they held."""
    return make_thinned(begin)


def make_thinned(begin: runs.Begin) -> runs.Run:
    run = begin({"step": 0, "text": "something long enough to build on " * 20})
    for step in range(1, 11):
        if step % 2:
            run.turn(said=f"turn {step}", state_after={"step": step}, reasoning="Why.")
        else:
            run.patch({"step": step}, reasoning="So.", model="large")
    prune(run, *PRUNED)
    empty(run, *EMPTIED)
    return run


def test_what_nobody_forged_is_clean(thinned: runs.Run) -> None:
    assert list(findings(thinned.id)) == []


# -- tombstones


@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize("column", COLUMNS)
def test_a_tombstone_that_is_changed_is_found(
    thinned: runs.Run, begin: runs.Begin, column: str, kind: str
) -> None:
    value = _stone(thinned, kind)[column]
    for other in _others(column, value, lambda: begin({"n": 1}).id):
        with _taken_back(), _past_triggers():
            _run(
                f"UPDATE timeline_tombstone SET {column} = %s"
                " WHERE session_id = %s AND kind = %s",
                [other, thinned.id, kind],
            )
            assert _is_named(thinned, RANGES[kind]), (column, value, other)


@pytest.mark.parametrize("kind", RANGES)
def test_a_tombstone_that_is_deleted_is_found(thinned: runs.Run, kind: str) -> None:
    with _past_triggers():
        _run(
            "DELETE FROM timeline_tombstone WHERE session_id = %s AND kind = %s",
            [thinned.id, kind],
        )
    assert _is_named(thinned, RANGES[kind])


@pytest.mark.parametrize("kind", RANGES)
def test_tombstones_that_are_swapped_between_sessions_are_found_in_both(
    thinned: runs.Run, begin: runs.Begin, kind: str
) -> None:
    other = make_thinned(begin)
    with _past_triggers():
        for old, new in ((thinned.id, "x"), (other.id, thinned.id), ("x", other.id)):
            _run(
                "UPDATE timeline_tombstone SET session_id = %s"
                " WHERE session_id = %s AND kind = %s",
                [new, old, kind],
            )
    assert _is_named(thinned, RANGES[kind])
    assert _is_named(other, RANGES[kind])


@pytest.mark.parametrize("kind", [*RANGES, "removed"])
@pytest.mark.parametrize(
    ("first", "last"),
    [(9, 9), (5, 8), (3, 3), (9, 12), (20, 21)],
    ids=lambda number: f"v{number}",
)
def test_a_tombstone_that_is_made_up_is_found(
    thinned: runs.Run, kind: str, first: int, last: int
) -> None:
    """With the right values of the chain, wherever it is said to be."""
    chains = dict(
        Version.objects.filter(session_id=thinned.id).values_list("number", "chain")
    )
    made_up = _stone(thinned, "pruned") | {
        "kind": kind,
        "first_number": first,
        "last_number": last,
        "count": last - first + 1,
        "chain_before": chains.get(first - 1, b"x" * 32),
        "chain_after": chains.get(last, b"x" * 32),
        "turns": 0,
        "first_turn": 0,
        "last_turn": 0,
    }
    with _past_triggers():
        Tombstone(**made_up).save(force_insert=True)
    assert _is_named(thinned, (first, last + 1))


def test_versions_that_are_deleted_without_one_are_found(thinned: runs.Run) -> None:
    with erasing():
        for table in ("change", "body", "version"):
            _run(
                f"DELETE FROM timeline_{table} WHERE session_id = %s AND number = 9",
                [thinned.id],
            )
    assert _is_named(thinned, (9, 10))


# -- the event that was written with a tombstone


def without_it(event: Any) -> Any:
    return None


def of_another_act(event: Any) -> Any:
    return event | {"action": "session.updated"}


def of_another_kind(event: Any) -> Any:
    other = {"session.pruned": "session.emptied", "session.emptied": "session.pruned"}
    return event | {"action": other[event["action"]]}


def with_another_count(event: Any) -> Any:
    return _with(event, "versions", 99)


def of_another_removal(event: Any) -> Any:
    return _with(event, "removal_id", "rem_02")


def without_ranges(event: Any) -> Any:
    return _with(event, "ranges", [])


def with_another_digest(event: Any) -> Any:
    (said,) = event["details"]["ranges"]
    return _with(event, "ranges", [said | {"digest": "0" * 64}])


def with_a_wider_range(event: Any) -> Any:
    (said,) = event["details"]["ranges"]
    return _with(event, "ranges", [said | {"last": said["last"] + 1}])


def with_a_range_more(event: Any) -> Any:
    (said,) = event["details"]["ranges"]
    return _with(event, "ranges", [said, said | {"first": 9, "last": 9}])


def with_nothing(event: Any) -> Any:
    return event | {"details": {}}


FORGED: list[Callable[[Any], Any]] = [
    without_it,
    of_another_act,
    of_another_kind,
    with_another_count,
    of_another_removal,
    without_ranges,
    with_another_digest,
    with_a_wider_range,
    with_a_range_more,
    with_nothing,
]


@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize("forged", FORGED, ids=lambda one: one.__name__)
def test_an_event_of_a_removal_that_is_forged_is_found(
    thinned: runs.Run, kind: str, forged: Callable[[Any], Any]
) -> None:
    where = "stream_id = %s AND id = %s"
    key = [thinned.id, _stone(thinned, kind)["event_id"]]
    (row,) = sql.rows(f"SELECT action, details FROM audit_event WHERE {where}", key)
    other = forged(row._asdict())
    with erasing():
        if other is None:
            _run(f"DELETE FROM audit_event WHERE {where}", key)
        else:
            said = [other["action"], json.dumps(other["details"])]
            _run(
                f"UPDATE audit_event SET action = %s, details = %s WHERE {where}",
                [*said, *key],
            )
    assert _is_named(thinned, RANGES[kind])


# -- what was emptied

# Without what is never set in it, or is compared with the body that is gone.
HEADER = [
    column for column in damage.PROVEN["timeline_version"] if column != "external_id"
]


@pytest.mark.parametrize("column", HEADER)
def test_an_emptied_version_that_is_changed_is_found(
    thinned: runs.Run, column: str
) -> None:
    number = 8
    (row,) = sql.rows(
        "SELECT * FROM timeline_version WHERE session_id = %s AND number = %s",
        [thinned.id, number],
    )
    value = getattr(row, column)
    if column in ("restored_number", "undo_of", "source_number"):
        other: Any = 3
    elif column == "source_opaque":
        other = True
    elif column == "step_number":
        other = 7
    elif value is None:
        other = "said"
    else:
        (other, *_) = _others(column, value, lambda: "sess_other")
    damage.drop_constraints()
    damage.damage(
        damage.Place("timeline_version", thinned.id, number, column, value), other
    )
    assert _is_named(thinned, (number, number + 1))


@pytest.mark.parametrize(
    ("table", "number", "column", "value"),
    [
        ("timeline_version", 8, "changes", json.dumps([{"pointer": "/step"}])),
        ("timeline_body", 8, "data", b"something"),
        ("timeline_body", 8, "codec", 1),
        ("timeline_body", 8, "size", 9),
        ("timeline_body", 8, "salt", b"x" * 16),
        ("timeline_turn", 4, "data", b"something"),
        ("timeline_turn", 4, "codec", 1),
        ("timeline_turn", 4, "size", 9),
        ("timeline_turn", 4, "salt", b"x" * 16),
        ("timeline_turn", 4, "reasoning", "something"),
        ("timeline_turn", 4, "leaf", b"x" * 32),
        ("timeline_turn", 4, "actor_id", "somebody"),
    ],
)
def test_what_is_put_into_what_was_emptied_is_found(
    thinned: runs.Run, table: str, number: int, column: str, value: Any
) -> None:
    damage.damage(damage.Place(table, thinned.id, number, column, None), value)
    found = list(findings(thinned.id))
    assert {number} & {one.number for one in found} | {number} & {
        one.turn for one in found
    }, found


def test_what_is_emptied_without_a_tombstone_is_found(thinned: runs.Run) -> None:
    with erasing():
        for table in ("version", "body"):
            _run(
                f"UPDATE timeline_{table} SET salt = ''"
                " WHERE session_id = %s AND number = 9",
                [thinned.id],
            )
    assert {Kind.TEXT, Kind.BODY} <= {one.kind for one in findings(thinned.id)}


# -- how it is forged


def _stone(run: runs.Run, kind: str) -> dict[str, Any]:
    (row,) = sql.rows(
        "SELECT * FROM timeline_tombstone WHERE session_id = %s AND kind = %s",
        [run.id, kind],
    )
    assert row.removal_id == REMOVAL
    return dict(row._asdict())


def _others(column: str, value: Any, make_session: Callable[[], str]) -> list[Any]:
    """Return values that somebody could have put in the place of this one."""
    if column == "session_id":
        return [make_session()]
    if column == "kind":
        return [kind for kind in ("emptied", "pruned", "removed") if kind != value]
    if value is None:
        return [1]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, max(value - 1, 0)] if value else [1]
    if isinstance(value, bytes):
        return [bytes([*value[:-1], value[-1] ^ 1]), b""] if value else [b"x"]
    if isinstance(value, str):
        return [f"{value[:-1]}~"]
    return [value + timedelta(microseconds=1)]


def _with(event: Any, name: str, value: Any) -> Any:
    return event | {"details": event["details"] | {name: value}}


def _is_named(run: runs.Run, numbers: tuple[int, int]) -> bool:
    """Say whether something in this range, or right beside it, is said to be wrong."""
    low, high = numbers
    return any(
        one.number is not None and low - 1 <= one.number <= high + 1
        for one in findings(run.id)
        if one.kind is not Kind.DERIVED
    )


def _run(statement: str, params: list[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        assert cursor.rowcount


@contextmanager
def _taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def _past_triggers() -> Iterator[None]:
    """Act as the owner, who can switch the triggers of the table off."""
    table = "timeline_tombstone"
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield
        cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
