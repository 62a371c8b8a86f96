"""Make the words of messages findable that versions keep, beside their states or there.

They stand in compressed bodies, so the append leaves nothing of them and the projector
reads them: of each version what it brings, which is what the version before it does not
hold. Of a version whose changes leave a list `messages` of its state alone nothing is
read. Some megabytes at a time, because whoever writes to a session that is projected
may wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from apps.core import json, sql
from apps.timeline import bodies
from apps.timeline.bodies import CorruptBody
from apps.timeline.projection.texts import TextKind, messages_text

NAME = "messages"
EMPTY = b"[]"
# What is decoded for one transaction of the projector: 20 ms, of bodies that build on
# each other, and some times that where each stands in another session.
BYTES_AT_ONCE = 8 * 1024 * 1024
VERSIONS_AT_ONCE = 1_000
# A body that has messages is at least so much longer than its state: the table of two
# parts, and a list of one item.
ROOM = 70

# Of more changes than are shown, one that is not may be of messages; a fork brings what
# its origin holds.
# What is sealed is not said in words, which stand in clear. An inequality, for a plan:
# of `= 0` PostgreSQL expects one body in 200, and reads those of a session first.
_HOLDS = f"""b.codec & {bodies.SEALED} <> {bodies.SEALED}
    AND (b.size >= v.size + {ROOM} OR v.op = 'fork'
        OR v.change_count > jsonb_array_length(v.changes)
        OR v.changes @? '$[*].pointer ? (@ starts with "/{NAME}")')"""
_PENDING = sql.across(
    sql.query("timeline", "kept_messages", holds=_HOLDS, most=VERSIONS_AT_ONCE)
)
_STORED = sql.of_session(f"""
SELECT v.session_id, v.number, v.commitment, b.size,
       o.body_number AS before_number, o.commitment AS before_commitment
  FROM timeline_version v
  JOIN timeline_body b ON b.session_id = %(session)s AND b.number = v.number
  LEFT JOIN timeline_version o
    ON o.session_id = %(session)s AND o.number = v.number - 1
 WHERE v.session_id = %(session)s AND v.number > %(after)s
   AND {_HOLDS}
 ORDER BY v.number LIMIT {VERSIONS_AT_ONCE}
""")  # noqa: S608
_NOTE = sql.of_session("""
SELECT timeline_note_text_v2(
    %(project)s::text, %(session)s::varchar, %(kind)s::int, %(number)s::bigint,
    %(text)s::text) IS NULL
""")


class PendingKey(NamedTuple):
    """The key of a row of `timeline_pending`."""

    session_id: str
    number: int
    turn_number: int


@dataclass(frozen=True, slots=True)
class KeepingVersion:
    """A version whose body may hold messages, and what the one before it shows."""

    session_id: str
    number: int
    commitment: bytes
    size: int
    before_number: int | None
    before_commitment: bytes | None

    @property
    def bodies(self) -> dict[tuple[str, int], bytes]:
        """Return the commitments to both, by what they are decoded by."""
        found = {(self.session_id, self.number): self.commitment}
        if self.before_number is not None and self.before_commitment is not None:
            found[self.session_id, self.before_number] = self.before_commitment
        return found


def keep_pending(keys: Sequence[PendingKey]) -> int:
    """Make what these rows bring findable; return how many of them that was.

    The first ones, at least one. The keys come in their order, and are locked.
    """
    mine = set(keys)
    rows = [row for row in _pending(keys) if _key(row) in mine]
    done, read, size = len(keys), list[Any](), 0
    for row in rows:
        size += row.size
        is_too_much = size > BYTES_AT_ONCE or len(read) == VERSIONS_AT_ONCE - 1
        if is_too_much and _key(row) != keys[0]:
            done = keys.index(_key(row))
            break
        read.append(row)
    mine = set(keys[:done])
    projects = {row.session_id: row.project_id for row in read}
    some = [keeping(row) for row in read if _key(row) in mine]
    for version, text in _texts(some):
        _note(projects[version.session_id], version, text)
    return done


def keep_stored(project_id: str, session_id: str, *, after: int = -1) -> None:
    """Make anew what all versions of a session behind one brought.

    Raises: CorruptBody.
    """
    while True:
        rows = sql.rows(_STORED, {"session": session_id, "after": after})
        for some in _chunks([keeping(row) for row in rows]):
            for version, text in zip(some, _read(some), strict=True):
                _note(project_id, version, text)
        if len(rows) < VERSIONS_AT_ONCE:
            return
        after = rows[-1].number


def kept_lists(versions: Sequence[KeepingVersion]) -> Iterator[tuple[bytes, bytes]]:
    """Yield what the version before each of these keeps, and what it keeps itself.

    Raises: CorruptBody.
    """
    # Not before: it loads models, and the worker's app loads the projector before them.
    from apps.timeline.versions.decoding.bodies import decoded, drawn_bodies

    wanted: dict[tuple[str, int], bytes] = {}
    for version in versions:
        wanted |= version.bodies
    size = sum(one.size for one in versions)
    raws = drawn_bodies(decoded(wanted, size=size))
    for version in versions:
        before = raws.get((version.session_id, version.before_number or 0), b"")
        is_first = version.before_number is None
        after = raws[version.session_id, version.number]
        yield EMPTY if is_first else _list(before), _list(after)


def _pending(keys: Sequence[PendingKey]) -> list[Any]:
    first, last = keys[0], keys[-1]
    return sql.rows(
        _PENDING,
        {
            "sessions": sorted({key.session_id for key in keys}),
            "session": first.session_id,
            "number": first.number,
            "turn": first.turn_number,
            "last_session": last.session_id,
            "last_number": last.number,
            "last_turn": last.turn_number,
        },
    )


def _key(row: Any) -> PendingKey:
    return PendingKey(row.session_id, row.row_number, row.row_turn)


def keeping(row: Any) -> KeepingVersion:
    """Return the version that a row of a statement tells of."""
    return KeepingVersion(
        row.session_id,
        row.number,
        bytes(row.commitment),
        row.size,
        row.before_number,
        row.before_commitment and bytes(row.before_commitment),
    )


def _texts(versions: Sequence[KeepingVersion]) -> Iterator[tuple[KeepingVersion, str]]:
    """Yield what each brings; a damaged one nothing, for it must not stop the rest."""
    for some in _chunks(versions):
        try:
            yield from zip(some, _read(some), strict=True)
        except CorruptBody:
            for version in some:
                with suppress(CorruptBody):
                    yield version, _read([version])[0]


def _chunks(versions: Sequence[KeepingVersion]) -> Iterator[list[KeepingVersion]]:
    chunk: list[KeepingVersion] = []
    size = 0
    for version in versions:
        if chunk and size + version.size > BYTES_AT_ONCE:
            yield chunk
            chunk, size = [], 0
        chunk.append(version)
        size += version.size
    if chunk:
        yield chunk


def _read(versions: Sequence[KeepingVersion]) -> list[str]:
    return [messages_text(*both) for both in kept_lists(versions)]


def _list(raw: bytes) -> bytes:
    """Return the messages of a body as they are written: its part, else its state's."""
    part = bytes(bodies.part_view(raw, NAME) or EMPTY)
    if part != EMPTY:
        return part
    state = bytes(bodies.state_view(raw))
    if f'"{NAME}"'.encode() not in state:
        return EMPTY
    found = json.parse_written(state)
    messages = found.get(NAME) if isinstance(found, dict) else None
    return json.dumps(messages) if isinstance(messages, list) else EMPTY


def _note(project_id: str, version: KeepingVersion, text: str) -> None:
    if text:
        sql.rows(
            _NOTE,
            {
                "project": project_id,
                "session": version.session_id,
                "kind": TextKind.MESSAGES.value,
                "number": version.number,
                "text": text,
            },
        )
