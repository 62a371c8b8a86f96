"""Loads a keyed document of many keys, by statements over all of them at once.

The first key is written by the product's own operation; every row that is loaded is a
copy of that write's row, with its own number, key, body and digests; events aside. What
is loaded so stands up to verification: `sample` looks at its end, heads and tally.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from apps.audit import chain as audit_chain
from apps.audit.models import AuditRecord
from apps.timeline.bodies import Part, frame
from apps.timeline.bodies.bundles import JSON
from apps.timeline.verification import rows
from apps.timeline.verification.documents.walk import DocumentWalk
from apps.timeline.versions import proof
from apps.timeline.versions.keyed.values import ENTRY
from tests.benchmarks import states
from tests.timeline.documents.keeping import Keeper, new_entry

VALUE_BYTES = 120
DIGITS = "0000000"
KEY = f"key:{DIGITS}"
VALUE = f"{DIGITS} {states.texts(1, 140)[0]}"[:VALUE_BYTES]
BLOCK = 64
SAMPLE = 500
# As the chains link, of versions with a byte in front, of records without: from the
# first one's link on.
CHAINED = """
CREATE FUNCTION pg_temp.{link}(bytea, bigint, bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN RETURN sha256({before}::bytea || $1 || int8send($2) || $3); END $$;
CREATE AGGREGATE pg_temp.{name}(bigint, bytea) (
    sfunc = pg_temp.{link}, stype = bytea, initcond = {begin})
"""
HMAC = "sha256({outer}::bytea || sha256({inner}::bytea || {message}))"
NAMED = """
CREATE TEMP TABLE named AS
SELECT n AS number, convert_to(d, 'UTF8') AS digits, {key} || d AS key,
       {trace} || d AS trace_id
  FROM (SELECT n, lpad((n - 1)::text, {width}, '0') AS d
          FROM generate_series(2, {count}) n) s
"""
SEALED = """
CREATE TEMP TABLE sealed AS
SELECT b.*, {commitment} AS commitment, {resource} AS resource_digest
  FROM (SELECT n.*, {raw} AS raw FROM named n OFFSET 0) b
"""
LEAVES = """
CREATE TEMP TABLE leaves AS
SELECT s.*, sha256({leaf}) AS leaf,
       sha256('\\x02'::bytea || sha256({facts}) || int8send(s.number)) AS told_leaf,
       s.number + {told_after} AS told_number
  FROM sealed s
"""
LOADED = """
CREATE TEMP TABLE loaded AS
SELECT l.*,
       pg_temp.version_chain(l.number, l.leaf) OVER version AS chain,
       pg_temp.record_chain(l.told_number, l.told_leaf) OVER version AS told_chain
  FROM (SELECT number, leaf, told_number, told_leaf, key, trace_id, raw, commitment,
               resource_digest FROM leaves) l
WINDOW version AS (ORDER BY l.number)
"""
COLUMNS = """
SELECT attname FROM pg_attribute
 WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
 ORDER BY attnum
"""
RECORDS = "audit_auditrecord"
# What of a row is not that of the first key's.
OWN = {
    "timeline_version": {
        "number": "l.number",
        "parent_number": "l.number - 1",
        "body_number": "l.number",
        "trace_id": "l.trace_id",
        "commitment": "l.commitment",
        "leaf": "l.leaf",
        "chain": "l.chain",
    },
    "timeline_body": {
        "number": "l.number",
        "base_number": "NULL",
        "depth": "0",
        "codec": "1",
        "data": "l.raw || substring(int8send(crc32(l.raw)) FROM 5)",
    },
    "timeline_entry": dict.fromkeys(("number", "body_number"), "l.number")
    | {"key": "l.key"},
    "timeline_keyhead": dict.fromkeys(("number", "body_number"), "l.number")
    | {"key": "l.key"},
    RECORDS: {
        "number": "l.told_number",
        "event_id": "l.trace_id",
        "resource_id": "l.key",
        "resource_digest": "l.resource_digest",
        "version": "l.number",
        "leaf": "l.told_leaf",
        "chain": "l.told_chain",
    },
}
FINISH = """
UPDATE timeline_tally SET keys = keys * %(count)s, bytes = bytes * %(count)s
 WHERE session_id = %(session)s;
UPDATE timeline_session SET head_number = %(count)s WHERE id = %(session)s
"""

Row = Mapping[str, Any]


def named(place: int) -> str:
    """Return the key at this place, from 0."""
    return f"{KEY[: -len(DIGITS)]}{place:0{len(DIGITS)}}"


def load(superuser: psycopg.Connection[Any], keeper: Keeper, count: int) -> None:
    """Write a key to a new document, and load as many more as make `count`."""
    document = keeper.document
    keeper.put_all([new_entry(KEY, VALUE)])
    with superuser.transaction(), superuser.cursor(row_factory=dict_row) as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("SET LOCAL work_mem = '256MB'")
        first = _first(cursor, document.id, document.stream_id)
        for statement in _statements(first, count):
            cursor.execute(statement)
        for table in OWN:
            own = document.stream_id if table == RECORDS else document.id
            cursor.execute(_copied(cursor, table), [own])
        for statement in FINISH.split(";"):
            cursor.execute(statement, {"session": document.id, "count": count})
        cursor.execute("DISCARD TEMP")


def sample(keeper: Keeper, count: int) -> None:
    """Verify the newest versions and records that were loaded, all heads, the tally.

    Raises: RuntimeError with what does not hold.
    """
    document = keeper.document
    after = max(count - SAMPLE, 0)
    walk = DocumentWalk(document.id, lambda _: None)
    (newest,) = rows.versions(document.id, after=after - 1, limit=1)
    walk.go_on_behind(newest)
    found = [str(one) for one in walk.findings()]
    records = AuditRecord.objects.filter(stream_id=document.stream_id)
    begin, *others = records.filter(version__gte=max(after, 1)).order_by("number")
    verified = audit_chain.verify(others, count=begin.number, chain=bytes(begin.chain))
    if found or not verified.is_intact or walk.versions != count - after:
        raise RuntimeError(f"What was loaded does not hold: {found}, {verified}")


def _first(cursor: psycopg.Cursor[Any], session: str, stream: str) -> dict[str, Row]:
    """Return the rows of the first key's write."""
    found: dict[str, Row] = {}
    for table in ("timeline_version", "timeline_body"):
        cursor.execute(
            f"SELECT * FROM {table} WHERE session_id = %s AND number = 1",
            [session],
        )
        found[table] = cursor.fetchone() or {}
    cursor.execute(
        "SELECT * FROM audit_auditrecord WHERE stream_id = %s AND version = 1",
        [stream],
    )
    found["audit_auditrecord"] = cursor.fetchone() or {}
    return found


def _statements(first: Mapping[str, Row], count: int) -> Iterator[sql.Composed]:
    version, record = first["timeline_version"], first["audit_auditrecord"]
    body_salt = bytes(first["timeline_body"]["salt"])
    width = len(DIGITS)
    yield sql.SQL(NAMED).format(
        key=KEY[:-width],
        trace=version["trace_id"][:-width],
        width=width,
        count=count,
    )
    body = new_entry(KEY, VALUE).body
    pieces = frame((Part(ENTRY, JSON, body),)).split(DIGITS.encode())
    yield sql.SQL(SEALED).format(
        raw=sql.SQL(" || n.digits || ").join(map(_bytes, pieces)),
        commitment=_hmac(body_salt, "b.raw"),
        resource=_hmac(bytes(record["salt"]), "convert_to(b.key, 'UTF8')"),
    )
    yield sql.SQL(LEAVES).format(
        leaf=sql.SQL(" || ").join(_leaf(version, record["project_id"])),
        facts=sql.SQL(" || ").join(_facts(record)),
        told_after=record["number"] - 1,
    )
    yield _chained("version_chain", b"\x01", version)
    yield _chained("record_chain", b"", record)
    yield sql.SQL(LOADED).format()


def _leaf(version: Row, project_id: str) -> Iterator[sql.Composable]:
    """Yield what a leaf is the digest of, as `proof.Claim` has it."""
    before = (
        *(proof.SCHEMA, project_id, version["session_id"], version["op"]),
        *(version["hold"], None, None, None),
        *(version["actor_kind"], version["actor_id"]),
    )
    after = (
        version["request_key"],
        _utc(version["requested_at"]),
        version["reasoning_digest"],
        version["step_digest"],
    )
    width = len(version["trace_id"])
    yield _bytes(b"\x00" + proof._framed(before) + b"\x01" + width.to_bytes(8))
    yield sql.SQL("convert_to(s.trace_id, 'UTF8')")
    yield _bytes(proof._framed(after) + b"\x01" + (32).to_bytes(8))
    yield sql.SQL("s.commitment")


def _facts(record: Row) -> Iterator[sql.Composable]:
    """Yield what a record's facts are the digest of, as `chain.facts` has it."""
    now = _utc(record["created_at"])
    details = audit_chain._who_and_when(SimpleNamespace(**record))[3]
    width = len(record["event_id"])
    yield _bytes(_measured(record["stream_id"], record["project_id"]))
    yield _bytes(width.to_bytes(8))
    yield sql.SQL("convert_to(s.trace_id, 'UTF8')")
    yield _bytes(_measured(record["action"], record["resource_type"]))
    yield _bytes((32).to_bytes(8))
    yield sql.SQL("s.resource_digest")
    who = (record["actor_kind"], record["actor_id"], record["actor_label"])
    yield _bytes(_measured(record["result"], record["rule"], *who, details, now))


def _measured(*texts: str | None) -> bytes:
    return b"".join(
        audit_chain._ABSENT
        if text is None
        else len(text.encode()).to_bytes(8) + text.encode()
        for text in texts
    )


def _chained(name: str, before: bytes, first: Row) -> sql.Composed:
    return sql.SQL(CHAINED).format(
        name=sql.Identifier(name),
        link=sql.Identifier(f"{name}_link"),
        before=f"\\x{before.hex()}",
        begin=f"\\x{bytes(first['chain']).hex()}",
    )


def _copied(cursor: psycopg.Cursor[Any], table: str) -> sql.Composed:
    """Return the statement that copies the first key's row for every other key."""
    cursor.execute(COLUMNS, [table])
    names = [row["attname"] for row in cursor.fetchall()]
    own = OWN[table]
    shown = [
        sql.SQL(own[name])
        if name in own
        else sql.SQL("f.{}").format(sql.Identifier(name))
        for name in names
    ]
    whose = "stream_id" if table.startswith("audit") else "session_id"
    number = "version" if table == RECORDS else "number"
    return sql.SQL(
        "INSERT INTO {table} ({names}) SELECT {shown} FROM loaded l"
        " JOIN {table} f ON f.{whose} = %s AND f.{number} = 1 ORDER BY l.number"
    ).format(
        table=sql.Identifier(table),
        names=sql.SQL(", ").join(map(sql.Identifier, names)),
        shown=sql.SQL(", ").join(shown),
        whose=sql.Identifier(whose),
        number=sql.Identifier(number),
    )


def _hmac(salt: bytes, message: str) -> sql.Composed:
    block = salt.ljust(BLOCK, b"\x00")
    return sql.SQL(HMAC).format(
        outer=_bytes(bytes(byte ^ 0x5C for byte in block)),
        inner=_bytes(bytes(byte ^ 0x36 for byte in block)),
        message=sql.SQL(message),
    )


def _bytes(raw: bytes) -> sql.Composed:
    return sql.SQL("{}::bytea").format(sql.Literal(f"\\x{raw.hex()}"))


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
