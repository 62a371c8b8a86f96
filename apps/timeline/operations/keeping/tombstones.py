"""What stands for versions that are gone: their range, counts and ends of chains."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.core import sql
from apps.timeline.models import Session, Tombstone
from apps.timeline.operations.keeping import rows
from apps.timeline.operations.keeping.rows import Header
from apps.timeline.versions import proof
from apps.timeline.words import Removed


@dataclass(frozen=True, kw_only=True, slots=True)
class Taking:
    """A removal that holds the session's lock."""

    session: Session
    kind: Removed
    removal_id: str
    reason: str
    now: datetime
    # Of a keyed document: here and later all of it stays.
    shown_from: int | None = None


class BrokenChain(Exception):
    """What is to go does not follow from what was before it."""


def tombstone_of(taking: Taking, run: Sequence[Header]) -> Tombstone:
    """Return what stands for versions in a row that are taken.

    Raises: BrokenChain.
    """
    session, first = taking.session, run[0].number
    before = _chain_before(session, first)
    value = before
    for one in run:
        value = proof.chain(value, one.number, one.leaf)
        if value != one.chain:
            raise BrokenChain
    return Tombstone(
        session_id=session.id,
        kind=taking.kind,
        first_number=first,
        last_number=run[-1].number,
        project_id=session.project_id,
        count=len(run),
        chain_before=before,
        chain_after=value,
        leaves_digest=hashlib.sha256(b"".join(one.leaf for one in run)).digest(),
        rollbacks=sum(
            one.restored_number is not None and one.undo_of is None for one in run
        ),
        shown_from=taking.shown_from,
        reason=taking.reason,
        removal_id=taking.removal_id,
        created_at=taking.now,
        **_of_turns(session.id, rows.turns(session.id, first, run[-1].number)),
    )


def _of_turns(session_id: str, found: Sequence[Any]) -> dict[str, Any]:
    if not found:
        return {"turns": 0, "first_turn": 0, "last_turn": 0}
    leaves = b"".join(bytes(one.leaf or b"") for one in found)
    return {
        "turns": len(found),
        "first_turn": found[0].turn_number,
        "last_turn": found[-1].turn_number,
        "turn_chain_before": _turn_chain_before(session_id, found[0].turn_number),
        "turn_chain_after": found[-1].chain,
        "turn_leaves_digest": hashlib.sha256(leaves).digest(),
    }


def _chain_before(session: Session, first: int) -> bytes:
    """Return the chain value that a version's own builds on.

    Raises: BrokenChain.
    """
    if first == 0:
        return bytes(session.origin_chain or proof.NO_CHAIN)
    before = rows.headers(session.id, first - 1, first - 1, 1)
    if before:
        return bytes(before[0].chain)
    stones = Tombstone.objects.of_session(session.id).gone()
    # The memories of who comes back have the ids of those that were erased.
    stone = stones.filter(last_number=first - 1).order_by("-created_at").first()
    if stone is None:
        raise BrokenChain
    return bytes(stone.chain_after)


def _turn_chain_before(session_id: str, first: int) -> bytes | None:
    before = sql.rows(
        sql.of_session("""
        SELECT t.chain FROM timeline_turn t
         WHERE t.session_id = %s AND t.turn_number = %s
        """),
        [session_id, first - 1],
    )
    if before:
        return before[0].chain and bytes(before[0].chain)
    stones = Tombstone.objects.of_session(session_id).gone()
    stone = stones.filter(turns__gt=0, last_turn=first - 1).first()
    if stone is not None:
        after = stone.turn_chain_after
        return None if after is None else bytes(after)
    return proof.before_turns(session_id)
