"""Reads what verification looks at, in chunks: the only queries of this package."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from apps.core import sql
from apps.timeline import bodies
from apps.timeline.versions.reading import VERSION_COLUMNS, VersionRow

# Bodies are fetched with the versions that stored them, up to so many bytes at once.
BATCH_BYTES = 8 * 1024 * 1024

# One row of timeline_change, without session and number.
ChangeRow: TypeAlias = tuple[bytes, int, int, bytes | None]

SESSION = sql.query("timeline", "verify_beginning")

# By itself: the rest of the row may hold what cannot be read.
KIND = sql.of_session("SELECT s.kind FROM timeline_session s WHERE s.id = %s")

# What a removal changes of a history's own row.
REMOVED = sql.of_session("""
SELECT s.erasures, s.thinned_below FROM timeline_session s WHERE s.id = %s
""")

# Put together from constants alone.
VERSIONS = sql.of_session(
    sql.query("timeline", "verify_versions", version_columns=VERSION_COLUMNS)
)

BODIES = sql.of_session("""
SELECT b.number, b.base_number, b.depth, b.codec, b.salt, b.data, b.size,
       base.depth AS base_depth
  FROM timeline_body b
  LEFT JOIN timeline_body base
    ON base.session_id = %(session)s AND base.number = b.base_number
 WHERE b.session_id = %(session)s AND b.number = ANY (%(numbers)s::bigint[])
""")

FOLLOWED = sql.of_session("""
SELECT FROM timeline_version WHERE session_id = %s AND number > %s LIMIT 1
""")

CHANGES = sql.of_session("""
SELECT number, path_key, role, kind, value_key
  FROM timeline_change_current
 WHERE session_id = %s AND number BETWEEN %s AND %s
""")

TURNS = sql.of_session(sql.query("timeline", "verify_turns"))
TURN_FOLLOWED = sql.of_session("""
SELECT FROM timeline_turn WHERE session_id = %s AND turn_number > %s LIMIT 1
""")
STRAYS = sql.of_session(sql.query("timeline", "verify_strays"))

# One statement, so that an append in between cannot make the two sides differ.
LISTED = sql.of_session(sql.query("timeline", "verify_list_columns"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Beginning:
    """A session, and the version it was forked from as far as that is there."""

    id: str
    project_id: str
    created_at: datetime
    origin_session_id: str | None
    origin_number: int | None
    origin_project_id: str | None
    # In its own row, and of that version, which may have been removed.
    origin_chain: bytes | None
    origin_chain_there: bytes | None
    is_origin_removed: bool
    erasures: int
    has_tombstones: bool
    thinned_below: int | None
    origin_body_number: int | None
    # By what its agent's sessions wait; being derived anew where a moment is set.
    waiting_rules: list[str] | None
    remap_after: datetime | None

    @property
    def is_fork(self) -> bool:
        return self.origin_session_id is not None or self.origin_number is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredVersion(VersionRow):
    """A version with what it is held against in other rows of its session.

    `stored_bytes` is the length of the body that was stored with it, None if none
    was; `stored_commitment` belongs to the version that stored the body it shows;
    `target_…` to the version that it restored.
    """

    reasoning_digest: bytes
    step_digest: bytes
    stored_bytes: int | None
    stored_commitment: bytes | None
    target_body_number: int | None
    target_commitment: bytes | None


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredBody:
    """A body's row, with the depth of the one it builds on."""

    number: int
    base_number: int | None
    depth: int
    codec: int
    salt: bytes
    data: bytes
    size: int
    base_depth: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredTurn:
    """A turn with the version that it names as the head it left, if that is there.

    What proves it is None in turns from before there was a chain of turns.
    """

    session_id: str
    turn_number: int
    id: str
    head_number: int
    made_version: bool
    before_number: int | None
    state_after_sent: bool
    actor_kind: str
    actor_id: str
    reasoning: str | None
    trace_id: str
    input_type: str
    output_type: str
    codec: int
    data: bytes
    size: int
    request_key: str | None
    salt: bytes | None
    reasoning_digest: bytes | None
    commitment: bytes | None
    leaf: bytes | None
    chain: bytes | None
    requested_at: datetime | None
    created_at: datetime
    project_id: str
    head_op: str | None
    head_created_at: datetime | None
    usage: dict[str, Any] | None
    spent: dict[str, Any] | None

    def __post_init__(self) -> None:
        """Open what an encrypting project has sealed.

        Raises: KeysUnavailable.
        """
        reasoning = bodies.opened_text(self.session_id, self.reasoning)
        object.__setattr__(self, "reasoning", reasoning)


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """What lists show of a session, beside what it is, at one moment."""

    head_number: int
    status: str
    turn_count: int
    rollback_count: int
    facets: dict[str, Any]
    review: str | None
    scores: dict[str, Any] | None
    # What the newest review says, and the newest score of each name.
    reviewed: str | None
    scored: dict[str, Any] | None
    number: int
    hold: str
    is_over: bool
    turns: int
    rollbacks: int
    stray_body: int | None
    # Versions with flags, live or not; what is listed as open, and whether with the
    # project and agent of the session and the time of the version.
    flagged: list[int]
    open_kinds: list[str]
    open_numbers: list[int]
    open_facts: list[bool]
    waiting_rules: list[str] | None
    remap_after: datetime | None

    def is_settled(self, rules: Sequence[str] | None) -> bool:
        """Whether what waits is still by these rules, and wholly."""
        return self.remap_after is None and self.waiting_rules == rules


def beginning(session_id: str) -> Beginning | None:
    found = sql.records(Beginning, SESSION, {"session": session_id})
    return found[0] if found else None


def kind(session_id: str) -> str | None:
    """Return what the row is: a session or a keyed document; None for no row."""
    found = sql.rows(KIND, [session_id])
    return found[0].kind if found else None


def removed(session_id: str) -> tuple[int, int | None] | None:
    """Return how often something was removed, and what was thinned; None: no row."""
    found = sql.rows(REMOVED, [session_id])
    return (found[0].erasures, found[0].thinned_below) if found else None


def versions(session_id: str, *, after: int, limit: int) -> list[StoredVersion]:
    return sql.records(
        StoredVersion,
        VERSIONS,
        {"session": session_id, "after": after, "limit": limit},
    )


def is_followed(session_id: str, number: int) -> bool:
    """Whether the session has a version after this one."""
    return bool(sql.rows(FOLLOWED, [session_id, number]))


def turns(session_id: str, *, after: int, limit: int) -> list[StoredTurn]:
    """Return the next turns, at least one if there is one."""
    asked = {"session": session_id, "after": after, "limit": limit}
    return sql.records(StoredTurn, TURNS, asked | {"bytes": BATCH_BYTES})


def is_turn_followed(session_id: str, turn_number: int) -> bool:
    """Whether the session has a turn after this one."""
    return bool(sql.rows(TURN_FOLLOWED, [session_id, turn_number]))


def strays(session_id: str) -> list[tuple[int | None, int | None]]:
    """Return versions without the turn that made them, and turns without a number."""
    found = sql.rows(STRAYS, {"session": session_id})
    return [(row.number, row.turn_number) for row in found]


def with_bodies(
    chunk: Sequence[StoredVersion],
) -> Iterator[tuple[StoredVersion, StoredBody | None]]:
    """Pair each version with the body stored with it, a few megabytes at a time."""
    batch: list[StoredVersion] = []
    size = 0
    for version in chunk:
        size += version.stored_bytes or 0
        if batch and size > BATCH_BYTES:
            yield from _paired(batch)
            batch, size = [], version.stored_bytes or 0
        batch.append(version)
    yield from _paired(batch)


def marks(session_id: str, first: int, last: int) -> dict[int, list[ChangeRow]]:
    """Return the change rows of these versions, by number."""
    found: defaultdict[int, list[ChangeRow]] = defaultdict(list)
    for row in sql.rows(CHANGES, [session_id, first, last]):
        found[row.number].append((row.path_key, row.role, row.kind, row.value_key))
    return found


def listed(session_id: str) -> Listed | None:
    found = sql.records(Listed, LISTED, {"session": session_id})
    return found[0] if found else None


def _paired(
    batch: Sequence[StoredVersion],
) -> Iterator[tuple[StoredVersion, StoredBody | None]]:
    numbers = [one.number for one in batch if one.stored_bytes is not None]
    stored: dict[int, StoredBody] = {}
    if numbers:
        asked = {"session": batch[0].session_id, "numbers": numbers}
        found = sql.records(StoredBody, BODIES, asked)
        stored = {body.number: body for body in found}
    for version in batch:
        yield version, stored.get(version.number)
