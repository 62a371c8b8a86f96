"""Checks a session's history from its stored columns alone, without the server.

Everything that can be recomputed is: numbers, chain, leaves, digests, commitments.
What is found is told in sentences, so that a failing test says which version lies.
"""

from __future__ import annotations

import hmac
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from hashlib import sha256
from itertools import pairwise
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row

from apps.core import json
from apps.timeline import bodies
from apps.timeline.versions import proof, reading
from apps.timeline.words import MERGING, Hold, Op

CHANGES_HOLD = {
    Op.PAUSE: {Hold.PAUSED},
    Op.RESUME: {Hold.OPEN},
    Op.CLOSE: {Hold.CLOSED},
    Op.DELETE: {Hold.DELETED},
}
STATUS_OF = {"open": "active"}
SAID = 5  # one wrong chain value makes all that follow wrong


@dataclass(frozen=True, kw_only=True)
class History:
    """The rows of one session; `origin` is the version it was forked from."""

    session: Any
    versions: list[Any]
    bodies: dict[int, Any]
    turns: list[Any]
    origin: Any | None


def read(connection: psycopg.Connection[Any], session_id: str) -> History:
    """Read the rows of a session that nobody writes to."""
    (session,) = _rows(
        connection, "SELECT * FROM timeline_session WHERE id = %s", session_id
    )
    origins = _rows(
        connection,
        "SELECT * FROM timeline_version WHERE session_id = %s AND number = %s",
        session.origin_session_id,
        session.origin_number,
    )
    stored = _rows(
        connection,
        "SELECT * FROM timeline_body WHERE session_id = %s ORDER BY number",
        session_id,
    )
    return History(
        session=session,
        versions=_rows(
            connection,
            "SELECT * FROM timeline_version WHERE session_id = %s ORDER BY number",
            session_id,
        ),
        bodies={body.number: body for body in stored},
        turns=_rows(
            connection,
            "SELECT * FROM timeline_turn WHERE session_id = %s ORDER BY turn_number",
            session_id,
        ),
        origin=origins[0] if origins else None,
    )


def assert_proven(connection: psycopg.Connection[Any], session_id: str) -> History:
    """Read the session, fail with the first things that are wrong, return its rows."""
    history = read(connection, session_id)
    found = problems(history)
    assert not found, f"{session_id}: {len(found)} problems: " + "; ".join(found[:SAID])
    return history


def problems(history: History) -> list[str]:
    """Return what is wrong with the history, oldest version first."""
    if not history.versions:
        return ["there is no version 0"]
    return [
        *_numbers(history.versions),
        *_beginning(history),
        *_chains(history),
        *_claims(history),
        *_contents(history),
        *_successions(history.versions),
        *_rollbacks(history.versions),
        *_merges(history.versions),
        *_turns(history),
        *_turn_chains(history),
        *_turn_proofs(history),
        *_projection(history),
    ]


def raws(history: History) -> dict[int, bytes]:
    """Return every stored body, decoded along its deltas.

    Raises: bodies.CorruptBody, KeyError for a base that is missing.
    """
    found: dict[int, bytes] = {}
    for number, body in sorted(history.bodies.items()):
        base = None if body.base_number is None else found[body.base_number]
        found[number] = bodies.decode(body.codec, body.data, body.size, base)
    return found


def said(history: History) -> list[bytes]:
    """Return what every turn stored, decoded.

    Raises: bodies.CorruptBody.
    """
    return [
        bodies.decode(turn.codec, turn.data, turn.size, None) for turn in history.turns
    ]


def states(history: History) -> list[Any]:
    """Return the parsed state of every version."""
    read = {
        number: json.parse(reading.state_part(bodies.unframe(raw)))
        for number, raw in raws(history).items()
    }
    return [read[version.body_number] for version in history.versions]


def _rows(connection: psycopg.Connection[Any], query: str, *params: Any) -> list[Any]:
    with psycopg.Cursor(connection, row_factory=namedtuple_row) as cursor:
        return cursor.execute(query, params).fetchall()


def _numbers(versions: list[Any]) -> Iterator[str]:
    numbers = [version.number for version in versions]
    if numbers != list(range(len(versions))):
        yield f"the numbers have a gap or a double: {numbers}"
    for version in versions:
        parent = version.number - 1 if version.number else None
        if version.parent_number != parent:
            yield f"v{version.number}: its parent is {version.parent_number}"


def _beginning(history: History) -> Iterator[str]:
    first, session = history.versions[0], history.session
    forked = session.origin_session_id is not None
    if first.op != (Op.FORK if forked else Op.CREATE):
        yield f"v0: a session does not begin with {first.op}"
    if forked and history.origin is None:
        yield "v0: the version it was forked from is missing"
    if first.created_at != session.created_at:
        yield "v0: it is not as old as its session"


def _chains(history: History) -> Iterator[str]:
    previous = history.origin.chain if history.origin else proof.NO_CHAIN
    for version in history.versions:
        if proof.chain(previous, version.number, version.leaf) != version.chain:
            yield f"v{version.number}: the chain does not recompute"
        previous = version.chain


def _claims(history: History) -> Iterator[str]:
    for version in history.versions:
        if _claim(history.session, version).leaf() != version.leaf:
            yield f"v{version.number}: the leaf does not recompute"
        if proof.salted(version.salt, version.reasoning) != version.reasoning_digest:
            yield f"v{version.number}: the reasoning is not what was digested"
        texts = *proof.step_values(version), version.reason_code
        step = proof.salted(version.salt, *texts)
        if step != version.step_digest:
            yield f"v{version.number}: the step metadata is not what was digested"


def _claim(session: Any, version: Any) -> proof.Claim:
    return proof.Claim(
        project_id=session.project_id,
        session_id=version.session_id,
        op=version.op,
        hold=version.hold,
        restored_number=version.restored_number,
        undo_of=version.undo_of,
        external_id=version.external_id,
        actor_kind=version.actor_kind,
        actor_id=version.actor_id,
        trace_id=version.trace_id,
        request_key=version.request_key,
        requested_at=version.requested_at,
        reasoning_digest=version.reasoning_digest,
        step_digest=version.step_digest,
        commitment=version.commitment,
        source_session_id=version.source_session_id,
        source_number=version.source_number,
        source_digest=version.source_digest and bytes(version.source_digest),
        source_opaque=version.source_opaque,
    )


def _contents(history: History) -> Iterator[str]:
    try:
        decoded = raws(history)
    except (bodies.CorruptBody, KeyError) as error:
        yield f"a body does not decode: {error!r}"
        return
    for version in history.versions:
        number = version.body_number
        if number not in decoded:
            yield f"v{version.number}: its body {number} is missing"
            continue
        raw, salt = decoded[number], history.bodies[number].salt
        if bodies.commitment(raw, salt) != version.commitment:
            yield f"v{version.number}: its body is not what it committed to"
        elif len(reading.state_part(bodies.unframe(raw))) != version.size:
            yield f"v{version.number}: its state has another size"
    shown = {version.body_number for version in history.versions}
    yield from (f"body {n} is shown by no version" for n in decoded.keys() - shown)


def _successions(versions: list[Any]) -> Iterator[str]:
    for version in versions:
        if version.created_at < version.requested_at:
            yield f"v{version.number}: it was stored before it was asked for"
    for before, version in pairwise(versions):
        if version.created_at < before.created_at:
            yield f"v{version.number}: it is older than the version before it"
        if version.hold not in _holds_after(before, version):
            yield f"v{version.number}: {before.hold} became {version.hold}"
        if before.hold in (Hold.CLOSED, Hold.DELETED) and version.op != Op.DELETE:
            yield f"v{version.number}: it was written after the session had ended"


def _holds_after(before: Any, version: Any) -> set[str]:
    if version.op == Op.ROLLBACK:
        return {before.hold, Hold.PAUSED}
    return CHANGES_HOLD.get(version.op, {before.hold})


def _merges(versions: list[Any]) -> Iterator[str]:
    for version in versions:
        named = (version.source_session_id, version.source_number)
        if (version.op in MERGING) is (None in named):
            yield f"v{version.number}: {version.op} with a second parent, or without"


def _rollbacks(versions: list[Any]) -> Iterator[str]:
    for version in versions:
        if (version.op == Op.ROLLBACK) != (version.restored_number is not None):
            yield f"v{version.number}: {version.op} with a restored number, or without"
        if version.restored_number is None:
            continue
        if not 0 <= version.restored_number < version.number:
            yield f"v{version.number}: it restores v{version.restored_number}"
            continue
        target = versions[version.restored_number]
        shown = (version.commitment, version.body_number, version.size)
        if shown != (target.commitment, target.body_number, target.size):
            yield f"v{version.number}: it does not show what v{target.number} shows"


def _turns(history: History) -> Iterator[str]:
    numbers = [turn.turn_number for turn in history.turns]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"the turns have a gap or a double: {numbers}"
    made = [turn.head_number for turn in history.turns if turn.made_version]
    by_turns = [v.number for v in history.versions if v.op == Op.TURN]
    if made != by_turns:
        yield f"turns made {made}, but the versions by turns are {by_turns}"


def _turn_chains(history: History) -> Iterator[str]:
    """Recompute the chain of turns by code of our own, from docs/architecture.md."""
    start = previous = sha256(b"\x04" + history.session.id.encode()).digest()
    for turn in history.turns:
        name = f"turn {turn.turn_number}"
        if turn.chain is None:
            if previous != start:
                yield f"{name}: it has no chain, but a turn before it has"
            continue
        number = struct.pack(">q", turn.turn_number)
        if turn.chain != sha256(b"\x03" + previous + number + turn.leaf).digest():
            yield f"{name}: the chain does not recompute"
        previous = turn.chain


def _turn_proofs(history: History) -> Iterator[str]:
    for turn, raw in zip(history.turns, said(history), strict=True):
        if turn.chain is None:
            continue
        name = f"turn {turn.turn_number}"
        if turn_leaf(history.session.project_id, turn) != turn.leaf:
            yield f"{name}: the leaf does not recompute"
        if hmac.digest(turn.salt, raw, "sha256") != turn.commitment:
            yield f"{name}: its parts are not what it committed to"
        digest = hmac.digest(turn.salt, _fields(turn.reasoning), "sha256")
        if digest != turn.reasoning_digest:
            yield f"{name}: the reasoning is not what was digested"
        head = history.versions[turn.head_number]
        earlier = [one.created_at for one in history.turns[: turn.turn_number - 1]]
        if turn.created_at != max(turn.requested_at, head.created_at, *earlier):
            yield f"{name}: it was not stored when it was asked for"


def turn_leaf(project_id: str, turn: Any) -> bytes:
    """Return the leaf of a turn, from its columns alone."""
    # Some connections leave JSON as the text that it is.
    known = turn.usage
    usage = json.parse(known.encode()) if isinstance(known, str) else known or {}
    schema = "stepback-turn/1" if turn.usage is None else "stepback-turn/2"
    at = turn.requested_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")
    claimed = _fields(
        *(schema, project_id, turn.session_id, turn.id),
        *(turn.head_number, "01"[turn.made_version]),
        *(turn.before_number, "01"[turn.state_after_sent]),
        *(turn.actor_kind, turn.actor_id, turn.trace_id),
        *(turn.input_type, turn.output_type, turn.request_key, at),
        *(turn.reasoning_digest, turn.commitment),
        *(one for said in sorted(usage.items()) for one in said),
    )
    return sha256(b"\x02" + claimed).digest()


def _fields(*values: str | int | bytes | None) -> bytes:
    found = [
        v if v is None or isinstance(v, bytes) else str(v).encode() for v in values
    ]
    return b"".join(
        b"\0" if one is None else b"\1" + struct.pack(">Q", len(one)) + one
        for one in found
    )


def _projection(history: History) -> Iterator[str]:
    session, head = history.session, history.versions[-1]
    rollbacks = sum(
        version.op == Op.ROLLBACK and version.undo_of is None
        for version in history.versions
    )
    shown = {
        "head_number": head.number,
        "status": STATUS_OF.get(head.hold, head.hold),
        "turn_count": len(history.turns),
        "rollback_count": rollbacks,
    }
    for name, expected in shown.items():
        if getattr(session, name) != expected:
            yield f"the list shows {name} {getattr(session, name)}, not {expected}"
