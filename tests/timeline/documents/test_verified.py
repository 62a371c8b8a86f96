"""What does not hold in a keyed document is found and named, whichever value it is."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from apps.timeline.bodies import Part
from apps.timeline.bodies.bundles import JSON
from apps.timeline.ledger.encoding.values import EncodedWrite
from apps.timeline.ledger.encoding.writes import encode_body
from apps.timeline.verification import findings
from apps.timeline.versions.keyed.values import ENTRY
from tests.acting import tampering
from tests.timeline.documents.keeping import Keeper, new_entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def full(keeper: Keeper) -> Keeper:
    """Every kind of act: set, removed, by prefix, configured, restored, expired."""
    keeper.ago = timedelta(days=-3)
    keeper.configure(model="m")
    lapsing = timezone.now() - timedelta(days=2)
    keeper.put_all([new_entry("a", "1"), new_entry("b:1", "2"), new_entry("b:2", "3")])
    keeper.put("c", "4", expires_at=lapsing)
    keeper.remove("a")
    keeper.remove_prefix("b:")
    keeper.restore(5)
    keeper.ago = timedelta(0)
    keeper.expire()
    keeper.put("d", "5", expires_at=timezone.now() + timedelta(days=1))
    return keeper


def found(keeper: Keeper) -> list[str]:
    return [str(finding) for finding in findings(keeper.document.id)]


def damage(table: str, change: str, keeper: Keeper) -> None:
    """Change or delete one row as nobody can who uses the product."""
    with tampering(table), connection.cursor() as cursor:
        cursor.execute(change, [keeper.document.id])
        assert cursor.rowcount == 1


def test_what_was_written_by_every_act_holds(full: Keeper) -> None:
    assert found(full) == []


@pytest.mark.parametrize(
    ("table", "setting", "where", "names"),
    [
        ("timeline_entry", "key = 'x'", "number = 2", "v2"),
        ("timeline_entry", "number = 1", "number = 2", "v1"),
        ("timeline_entry", "ordinal = 7", "number = 2", "v2"),
        ("timeline_entry", "body_number = 3", "number = 2", "v2"),
        ("timeline_entry", "body_number = NULL", "number = 2", "v2"),
        ("timeline_entry", "size = 2", "number = 2", "v2"),
        ("timeline_entry", "expires_at = now()", "number = 2", "v2"),
        ("timeline_entry", "cause = 'restored'", "number = 2", "v2"),
        ("timeline_entry", "cause = 'expired'", "number = 6", "v6"),
        ("timeline_entry", "key = 'x'", "number = 7 AND key = 'b:1'", "v7"),
        ("timeline_entry", "body_number = 3", "number = 8 AND key = 'a'", "v8"),
        ("timeline_keyhead", "key = 'x'", "key = 'd'", "v10"),
        ("timeline_keyhead", "number = 9", "key = 'd'", "v9"),
        ("timeline_keyhead", "ordinal = 2", "key = 'd'", "v10"),
        ("timeline_keyhead", "body_number = 9", "key = 'd'", "v10"),
        ("timeline_keyhead", "size = 2", "key = 'd'", "v10"),
        ("timeline_keyhead", "created_at = now()", "key = 'd'", "v10"),
        ("timeline_keyhead", "updated_at = now()", "key = 'd'", "v10"),
        ("timeline_keyhead", "expires_at = NULL", "key = 'd'", "v10"),
        ("timeline_tally", "keys = keys + 1", "true", "it is counted"),
        ("timeline_tally", "bytes = bytes + 1", "true", "it is counted"),
        ("timeline_tally", "config_ordinal = 9", "true", "it is counted"),
        ("timeline_version", "leaf = 'x'", "number = 5", "v5"),
        ("timeline_version", "chain = 'x'", "number = 5", "v5"),
        ("timeline_version", "op = 'remove'", "number = 5", "v5"),
        ("timeline_version", "restored_number = 3", "number = 8", "v8"),
        ("timeline_version", "actor_id = 'x'", "number = 8", "v8"),
        ("timeline_version", "size = 9", "number = 2", "v2"),
        ("timeline_body", "data = data || 'x'", "number = 7", "v7"),
        ("timeline_body", "salt = 'x'", "number = 2", "v2"),
    ],
)
def test_each_value_that_is_changed_is_found(
    full: Keeper, table: str, setting: str, where: str, names: str
) -> None:
    change = f"UPDATE {table} SET {setting} WHERE session_id = %s AND {where}"
    damage(table, change, full)
    assert any(f"{names} " in line for line in found(full)), found(full)


@pytest.mark.parametrize("table", ["timeline_entry", "timeline_keyhead"])
def test_a_row_that_is_gone_is_found(full: Keeper, table: str) -> None:
    change = f"DELETE FROM {table} WHERE session_id = %s AND key = 'd'"
    damage(table, change, full)
    assert any("v10" in line for line in found(full))


def test_a_stream_that_is_cut_off_is_found_at_every_version_it_had(
    full: Keeper,
) -> None:
    cut(
        full,
        "number >= (SELECT min(number) FROM audit_auditrecord"
        " WHERE stream_id = %s AND version = 9)",
        times=2,
    )
    lost = f"no record of {full.document.stream_id} says who made it"
    assert [line for line in found(full) if line.endswith(lost)] == [
        f"{full.document.id} v{number} (number): {lost}" for number in (9, 10)
    ]


def test_a_record_cut_out_and_replaced_is_found(full: Keeper) -> None:
    """Whoever rewrites the chain as well has to name the version's own event."""
    change = "UPDATE audit_auditrecord SET event_id = 'trace_other'"
    with tampering("audit_auditrecord"), connection.cursor() as cursor:
        cursor.execute(
            f"{change} WHERE stream_id = %s AND version = 5",
            [full.document.stream_id],
        )
    named = [line for line in found(full) if " v5 " in line]
    assert len(named) == 2
    assert named[0].endswith("says who made it")
    assert named[1].endswith("made it: it is not there")


def test_a_version_that_a_record_names_and_that_is_gone_is_found(
    full: Keeper,
) -> None:
    for table in ("timeline_entry", "timeline_body", "timeline_version"):
        where = "session_id = %s AND number = 10"
        damage(table, f"DELETE FROM {table} WHERE {where}", full)
    assert any(
        " v10 (number): record " in line and line.endswith("it is not there")
        for line in found(full)
    )


def test_a_document_that_is_gone_is_found_by_its_records(full: Keeper) -> None:
    one, stream = full.document.id, full.document.stream_id
    tables = ("entry", "keyhead", "tally", "body", "version", "session")
    for name in tables:
        table = f"timeline_{name}"
        column = "id" if name == "session" else "session_id"
        with tampering(table), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table} WHERE {column} = %s", [one])

    with pytest.raises(CommandError) as error:
        call_command("verify", stdout=StringIO(), stderr=StringIO())

    assert f"{one}: it is gone, and records of {stream} name it" in str(error.value)


def cut(keeper: Keeper, where: str, *, times: int) -> None:
    """Delete records as nobody can who uses the product."""
    stream = keeper.document.stream_id
    with tampering("audit_auditrecord"), connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM audit_auditrecord WHERE stream_id = %s AND {where}",
            [stream] * times,
        )
        assert cursor.rowcount


def test_a_document_is_verified_with_its_project(full: Keeper) -> None:
    out = StringIO()
    call_command("verify", "--project", full.project.slug, stdout=out)
    assert "Verified 1 sessions, 11 versions, 11 bodies" in out.getvalue()

    change = "UPDATE timeline_tally SET keys = 9 WHERE session_id = %s"
    damage("timeline_tally", change, full)
    with pytest.raises(CommandError):
        call_command("verify", "--session", full.document.id, stdout=out, stderr=out)
    assert "it is counted as" in out.getvalue()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (ENTRY, b"[]"),
        (ENTRY, b'{"key": "a", "value": 5, "expires_at": null}'),
        (ENTRY, b'{"key": "a", "value": "1", "expires_at": 5}'),
        ("other", b"{}"),
    ],
)
def test_a_forged_body_that_says_no_entry_is_found(
    full: Keeper, name: str, said: bytes
) -> None:
    forged = encode_body(EncodedWrite(), (Part(name, JSON, said),), number=2, base=None)
    body = [forged.data, forged.salt, int(forged.codec), forged.size]
    with tampering("timeline_body"), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timeline_body SET data = %s, salt = %s, codec = %s, size = %s"
            " WHERE session_id = %s AND number = 2",
            [*body, full.document.id],
        )
    with tampering("timeline_version"), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timeline_version SET commitment = %s"
            " WHERE session_id = %s AND number = 2",
            [forged.commitment, full.document.id],
        )

    assert any("v2" in one and "its body" in one for one in found(full))
