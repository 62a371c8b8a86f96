"""Versions as they were just stored, told from what was sent to be stored.

Whoever wrote them knows all but their time, which the SQL function gives back:
reading them again took two of the six statements of a merge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from apps.timeline.ledger.sealing import EncodedWrite
from apps.timeline.models import Turn
from apps.timeline.versions import proof
from apps.timeline.versions.reading import Rollback, VersionRow

# What is written as it is read.
SAME = (
    *("op", "hold", "restored_number", "undo_of", "reason_code", "external_id"),
    *("actor_kind", "actor_id", "actor_label", "reasoning", "trace_id"),
    *("step_number", "step_parent_id", "objective_status", "schema_version"),
    *("release", "model", "size", "flags", "request_key"),
    *("changes", "change_count", "changes_truncated"),
)
BYTES = ("salt", "commitment", "leaf")


def written(
    items: Sequence[EncodedWrite], *, head: VersionRow, created_at: datetime
) -> list[VersionRow]:
    """Return the versions that were stored on this head, each on the one before."""
    made: list[VersionRow] = []
    for sealed in items:
        if sealed.version is not None:
            head = _written(sealed, sealed.version, head, created_at)
            made.append(head)
    return made


def written_turn(item: EncodedWrite, *, session_id: str, outcome: Any) -> Turn | None:
    """Return the turn that was stored with an outcome of the SQL function."""
    if item.turn is None:
        return None
    facts = item.turn | {"request_digest": _bytes(item.turn["request_digest"])}
    return Turn(
        **facts,
        session_id=session_id,
        turn_number=outcome.turn_number,
        head_number=outcome.number,
        data=item.turn_data,
        created_at=outcome.created_at,
    )


def _written(
    sealed: EncodedWrite,
    version: dict[str, Any],
    head: VersionRow,
    created_at: datetime,
) -> VersionRow:
    number = head.number + 1
    facts: dict[str, Any] = {name: version[name] for name in SAME}
    facts |= {name: _bytes(version[name]) for name in BYTES}
    restored = version["restored_number"]
    return replace(
        head,
        **facts,
        **_body(sealed, number),
        number=number,
        parent_number=head.number,
        chain=proof.chain(head.chain, number, facts["leaf"]),
        requested_at=datetime.fromisoformat(version["requested_at"]),
        created_at=created_at,
        rollback=head.rollback
        if restored is None
        else Rollback(number, restored, created_at),
    )


def _body(sealed: EncodedWrite, number: int) -> dict[str, Any]:
    """Return what differs where the version does not show the head's body."""
    if sealed.body is not None:
        return {
            "body_number": number,
            "body_depth": sealed.body["depth"],
            "body_size": sealed.body["size"],
            "body_salt": _bytes(sealed.body["salt"]),
            "raw": sealed.raw,
            "parsed": None,
            "leaves": None,
        }
    shows = sealed.shows
    if shows is None:
        return {}
    return {
        "body_number": shows.body_number,
        "body_depth": shows.body_depth,
        "body_size": shows.body_size,
        "body_salt": shows.body_salt,
        "raw": shows.raw,
        "parsed": None,
        "leaves": None,
    }


def _bytes(value: str) -> bytes:
    return bytes.fromhex(value.removeprefix("\\x"))
