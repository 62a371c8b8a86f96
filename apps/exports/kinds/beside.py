"""What is kept beside a session's versions: notes, approvals, memories, proofs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from apps.core import json
from apps.core.errors import Busy
from apps.core.time.moments import utc_text
from apps.exports.kinds.made import Made
from apps.exports.kinds.taking import Taking, TakingSession
from apps.exports.models import Export
from apps.memory.models import Memory
from apps.timeline.errors import ContentsErased, VersionPruned
from apps.timeline.hooks.keeping import ERASED_SESSIONS, SESSIONS, Leavings
from apps.timeline.models import Label, Note, Review, Score, Summary
from apps.timeline.operations import Document
from apps.timeline.queries import PastEntry, contents, history, removed_of_key
from apps.witness.reading import queries
from apps.witness.reading.shapes import proof_object

# Numbers that are made of texts, and copies of answers that go after a day: whose those
# are is found by their text, which may be of others too.
NOT_TOLD = {"vectors", "request_keys"}
APPROVALS = "approvals"
PAST_AT_ONCE = 1_000


def comments(taking: TakingSession, after: Any) -> None:
    """Write what people and agents said of the session."""
    for what in (Label, Note, Review, Score, Summary):
        rows: Any = what._default_manager.filter(session_id=taking.session.id)
        taking.add_rows(f"{what.__name__.lower()}s.jsonl", rows.values())


def kept(taking: TakingSession, after: Any) -> None:
    """Write what other apps keep of the session; approvals alone unless it is whole."""
    known = dict(SESSIONS)
    if not taking.is_whole:
        known = {APPROVALS: known[APPROVALS]}
    rows: list[Leavings] = [one for some in known.values() for one in some]
    if taking.is_whole:
        rows += [one for some in ERASED_SESSIONS.values() for one in some]
    asked = {"session": taking.session.id, "project": taking.project.id}
    add_leavings(taking, rows, asked)


def add_leavings(
    taking: Taking, rows: Iterable[Leavings], asked: dict[str, Any]
) -> None:
    """Write the rows of tables that an erasure would take or empty."""
    for one in rows:
        if one.what not in NOT_TOLD:
            taking.add_rows(f"kept/{one.table}.{one.what}.jsonl", one.read(asked))


def memories_of_session(taking: TakingSession, after: Any) -> None:
    """Write what is remembered of the session, where it is whole."""
    if taking.is_whole:
        memories(taking, "session", taking.session.id)


def memories(taking: Taking, scope: str, owner: str) -> None:
    """Write what is remembered of an owner, and what was."""
    document = Document.of_memories(taking.project, scope, owner)
    for memory in Memory.objects.of([document.id]).order_by("id"):
        taking.add(f"memories/{memory.id}.jsonl", _past(document.id, memory.id))


def _past(document_id: str, key: str) -> Iterator[dict[str, Any]]:
    """Yield what was done to a memory, the newest first, and what it said then.

    What a policy has pruned is named where it was.
    """
    before: int | None = None
    while found := history(document_id, key, before=before, limit=PAST_AT_ONCE + 1):
        page, following = found[:PAST_AT_ONCE], found[PAST_AT_ONCE:]
        try:
            said = contents(document_id, [one for one in page if not one.is_emptied])
        except (ContentsErased, VersionPruned):
            continue  # since it was read: read again, it is told as gone
        stones = removed_of_key(document_id, page, next(iter(following), None))
        removed = {one["last_version"] + 1: one for one in stones}
        for one in page:
            yield _version(key, one, said.get(one.body_number or 0))
            if one.ordinal in removed:
                yield {"object": "removed", "id": key, **removed[one.ordinal]}
        before = page[-1].ordinal


def _version(key: str, one: PastEntry, content: bytes | None) -> dict[str, Any]:
    return {
        "object": "memory_version",
        "id": key,
        "version": one.ordinal,
        "cause": one.cause,
        "memory": None if content is None else json.parse_written(content),
        "contents_erased": one.is_emptied,
        "actor": one.actor_label,
        "reasoning": one.reasoning,
        "created_at": utc_text(one.created_at),
    }


def proof(taking: TakingSession, after: Any) -> None:
    """Write what proves the newest signed version, and the note that it is in."""
    session_id = taking.session.id
    try:
        found = queries.proof_of(session_id, now=taking.now)
    except Busy as error:
        told: dict[str, Any] = {"status": "unreadable", "message": str(error)}
        taking.add("proof.json", [{"object": "session_proof", **told}])
        return
    taking.add_bytes("proof.json", json.splice(proof_object(session_id, found)))
    if found.included is not None:
        taking.add_bytes("root.txt", bytes(found.included.note))


def manifest(export: Export, made: Made) -> dict[str, Any]:
    """Return what an archive is, and what is not in it."""
    left_out = made.left_out + made.left_out.__class__(export.left_out)
    return {
        "object": "export_manifest",
        "id": export.id,
        "kind": export.kind,
        "project_id": export.project_id,
        "session_id": export.asked.get("session_id"),
        "user_id": export.asked.get("user_id"),
        "masked": not export.asked.get("unmasked"),
        "asked_at": utc_text(export.created_at),
        "left_out": dict(sorted(left_out.items())),
    }
