"""Streams of agents: chained like a project's record, and each column is proven."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from apps.audit import chain, streams
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.models import AuditRecord
from apps.audit.streams import Operation, Result, StreamRecord
from apps.core import sql
from apps.core.actors import Actor, ActorKind
from apps.core.ids import new_id
from apps.core.roles.names import Role
from tests.acting import acting_as, erasing
from tests.acts import act_by

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PROJECT = "proj_" + "0" * 26
AGENT = "agent_" + "0" * 26
KEY = Actor(kind=ActorKind.KEY, id="key_1", label="sb_7f3a")
# One call as the functions of the ledger make it, with the version's number.
APPEND = (
    f"SELECT audit_append_record_v1({streams.ARGUMENTS}, _number => %(number)s)"
    " AS number"
)


def make_record(**facts: Any) -> StreamRecord:
    now = facts.pop("now", NOW)
    return StreamRecord(
        **{
            "stream_id": AGENT,
            "project_id": PROJECT,
            "event_id": new_id("trace", now=now),
            "action": Operation.DATA_READ,
            "resource_type": "data",
            "resource_id": "user:42:email",
            "result": Result.SUCCESS,
            "actor": KEY,
            "now": now,
            **facts,
        }
    )


def append(record: StreamRecord | None = None, version: int | None = None) -> int:
    record = record or make_record()
    with transaction.atomic():
        if version is None:
            return audit.record_in_stream(record=record)
        (row,) = sql.rows(APPEND, record.params() | {"number": version})
        return int(row.number)


def stored() -> list[AuditRecord]:
    return list(AuditRecord.objects.for_stream(AGENT).oldest_first())


@pytest.mark.django_db(transaction=True)
def test_it_refuses_to_record_outside_a_transaction() -> None:
    with pytest.raises(RuntimeError):
        audit.record_in_stream(record=make_record())


def test_a_record_is_stored_as_it_was_made(db: None) -> None:
    record = make_record(
        result=Result.BLOCKED,
        rule="policy:block_pii",
        details={"masked": "j***@***.com", "nul": "a\0b"},
    )

    assert append(record, 7) == 1

    (found,) = stored()
    assert (found.stream_id, found.project_id, found.format) == (AGENT, PROJECT, 2)
    assert (found.action, found.resource_id) == ("data.read", "user:42:email")
    assert (found.result, found.rule) == ("blocked", "policy:block_pii")
    assert (found.version, found.created_at) == (7, NOW)
    assert found.details == record.details == {"masked": "j***@***.com", "nul": "a␀b"}
    assert bytes(found.leaf) == chain.stream_leaf(record.facts(), 7)
    assert bytes(found.chain) == chain.link(chain.START, 1, bytes(found.leaf))


def test_a_stream_goes_on_from_record_to_record_and_verifies(db: None) -> None:
    numbers = [append(), append(version=0), append(version=2**40), append()]

    verdict = audit.verify_records(stream_id=AGENT)

    assert numbers == [1, 2, 3, 4]
    assert (verdict.count, verdict.is_intact) == (4, True)
    assert verdict.chain == bytes(stored()[-1].chain)


def test_awkward_details_verify_after_a_round_trip_through_the_database(
    db: None,
) -> None:
    floats = [0.1, 1e16, 2.0**70, -0.0, 1e-7]
    append(make_record(details={"huge": 10**40, "floats": floats, "none": None}))
    append(make_record(details={"b": 1, "a": {"d": True, "c": "ü"}}, resource_id=""))

    assert audit.verify_records(stream_id=AGENT).is_intact


def test_a_stream_and_its_projects_record_are_two_chains(db: None) -> None:
    with transaction.atomic():
        audit.record_act(
            stream_id=PROJECT,
            project_id=PROJECT,
            action=Action.AGENT_SUSPENDED,
            resource_type="agent",
            resource_id=AGENT,
            act=act_by(KEY, NOW),
            details={},
        )
        audit.record_in_stream(record=make_record())

    of_project = AuditRecord.objects.for_project(PROJECT)
    assert [one.action for one in of_project] == ["agent.suspended"]
    assert [one.number for one in stored()] == [1]
    assert audit.verify_records(stream_id=PROJECT).is_intact
    assert audit.verify_records(stream_id=AGENT).is_intact


def test_a_stream_is_verified_in_pieces(db: None) -> None:
    for _ in range(5):
        append()
    whole = audit.verify_records(stream_id=AGENT)

    first = audit.verify_records(stream_id=AGENT, limit=2)
    rest = audit.verify_records(stream_id=AGENT, after=first.count)

    assert first.count == 2
    assert rest == whole


# Another value for each column; the primary key's second half is moved past the end.
FLIPPED = {
    "number": "number + 100",
    "stream_id": "'agent_' || repeat('1', 26)",
    "project_id": "'proj_' || repeat('1', 26)",
    "event_id": "'trace_' || repeat('1', 26)",
    "format": "1",
    "action": "'data.write'",
    "resource_type": "'config'",
    "resource_id": "'user:43:email'",
    "salt": "set_byte(salt, 0, get_byte(salt, 0) # 1)",
    "resource_digest": "set_byte(resource_digest, 0, get_byte(resource_digest, 0) # 1)",
    "result": "'blocked'",
    "rule": "''",
    "version": "version + 1",
    "actor_kind": "'user'",
    "actor_id": "'key_2'",
    "actor_label": "'sb_7f3b'",
    "details": "'{\"count\": 2}'",
    "details_digest": "leaf",
    "created_at": "created_at + interval '1 microsecond'",
    "leaf": "set_byte(leaf, 31, get_byte(leaf, 31) # 1)",
    "chain": "set_byte(chain, 31, get_byte(chain, 31) # 1)",
}
# What may be absent is not the same as something empty, nor as nothing.
EMPTIED = {
    "rule": "'policy:block_pii'",
    "version": "NULL",
    "result": "NULL",
    "salt": "NULL",
    "resource_digest": "NULL",
    "resource_id": "''",
    "format": "3",
}


@pytest.mark.parametrize(
    ("column", "value"), [*FLIPPED.items(), *EMPTIED.items()], ids=str
)
def test_a_flipped_bit_in_any_column_is_found_and_named(
    db: None, column: str, value: str
) -> None:
    for version in (1, 2, 3):
        append(make_record(details={"count": 1}), version)

    with erasing(), connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE audit_auditrecord SET {column} = {value}"
            " WHERE stream_id = %s AND number = 2",
            [AGENT],
        )
        assert cursor.rowcount == 1

    assert audit.verify_records(stream_id=AGENT).broken_at == 2


def test_every_column_is_flipped() -> None:
    assert set(FLIPPED) == {one.column for one in AuditRecord._meta.fields} - {None}


def test_a_resource_is_erased_with_its_salt_and_the_chain_holds(db: None) -> None:
    append()
    append()

    with erasing():
        one = AuditRecord.objects.for_stream(AGENT).filter(number=1)
        one.update(resource_id="", salt=None)

    assert audit.verify_records(stream_id=AGENT).is_intact


def test_equal_resources_have_digests_of_their_own() -> None:
    assert make_record().resource_digest != make_record().resource_digest


def test_what_is_absent_is_not_what_is_empty() -> None:
    record = make_record()

    assert replace(record, rule="").facts() != record.facts()


def test_one_event_is_one_record_of_a_stream(db: None) -> None:
    record = make_record()
    append(record)

    with pytest.raises(Exception, match="one_per_event"), transaction.atomic():
        append(record)


def test_the_worker_appends_as_well(db: None) -> None:
    with acting_as(Role.WORKER):
        append()

    assert audit.verify_records(stream_id=AGENT).count == 1


@pytest.mark.django_db(transaction=True)
def test_twenty_writers_at_once_make_one_chain_without_gaps() -> None:
    def write(which: int) -> None:
        try:
            barrier.wait(30)
            for n in range(3):
                now = NOW + timedelta(seconds=which)
                append(make_record(now=now), version=n if which % 2 else None)
        finally:
            connection.close()

    barrier = threading.Barrier(20)
    threads = [threading.Thread(target=write, args=[n]) for n in range(20)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    verdict = audit.verify_records(stream_id=AGENT)
    assert (verdict.count, verdict.is_intact) == (60, True)
