"""Build the stored versions and the stored turn from the write, reading nothing back.

The writer knows all but their time, which the SQL function returns: reading them again
took two of the six statements of a merge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from apps.agents.acts import Act
from apps.timeline.ledger.encoding.values import EncodedWrite, NewVersion
from apps.timeline.models import Turn
from apps.timeline.versions import proof
from apps.timeline.versions.reading import Rollback, VersionRow

# What is stored as it is read.
SAME = (
    *("op", "hold", "restored_number", "undo_of", "reason_code", "external_id"),
    *("reasoning", "trace_id", "step_number", "step_parent_id", "objective_status"),
    *("schema_version", "release", "model", "size", "flags", "request_key"),
    *("changes", "change_count", "changes_truncated", "salt", "commitment", "leaf"),
)
OF_BODY = ("body_number", "body_depth", "body_size", "body_salt", "raw")


def written(
    items: Sequence[EncodedWrite], *, head: VersionRow, act: Act, created_at: datetime
) -> list[VersionRow]:
    """Return the versions that were stored on this head, each on the one before."""
    made: list[VersionRow] = []
    for encoded in items:
        if encoded.version is not None:
            head = following(
                head, encoded, encoded.version, act=act, created_at=created_at
            )
            made.append(head)
    return made


def following(
    head: VersionRow,
    encoded: EncodedWrite,
    version: NewVersion,
    *,
    act: Act,
    created_at: datetime,
) -> VersionRow:
    """Return the version that follows a head, as it is read once it is stored."""
    number = head.number + 1
    restored = version.restored_number
    return replace(
        head,
        **{name: getattr(version, name) for name in SAME},
        **_body(encoded, number),
        number=number,
        parent_number=head.number,
        actor_kind=act.actor.kind,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        chain=proof.chain(head.chain, number, version.leaf),
        requested_at=act.now,
        created_at=created_at,
        rollback=head.rollback
        if restored is None
        else Rollback(number, restored, created_at),
    )


def first_version(
    encoded: EncodedWrite, *, act: Act, session_id: str, session: Mapping[str, Any]
) -> VersionRow:
    """Return version 0 as it is read once it is stored, with these session columns."""
    version, body = encoded.version, encoded.body
    if version is None or body is None:
        raise TypeError("A session begins with a version and its body.")
    return VersionRow(
        **{name: getattr(version, name) for name in SAME},
        session_id=session_id,
        number=0,
        parent_number=None,
        body_number=0,
        body_depth=0,
        body_size=body.size,
        body_salt=body.salt,
        actor_kind=act.actor.kind,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        chain=proof.chain(session["previous_chain"], 0, version.leaf),
        requested_at=act.now,
        created_at=act.now,
        session_created_at=act.now,
        project_id=act.project_id,
        agent_id=session["agent"],
        user_id=session["user_id"],
        raw=encoded.raw,
        rollback=None,
    )


def written_turn(
    item: EncodedWrite, *, act: Act, session_id: str, outcome: Any
) -> Turn | None:
    """Return the turn that was stored with an outcome of the SQL function."""
    turn = item.turn
    if turn is None:
        return None
    draft = turn.draft
    return Turn(
        session_id=session_id,
        turn_number=outcome.turn_number,
        id=draft.id,
        head_number=outcome.number,
        made_version=turn.made_version,
        before_number=draft.before_number,
        state_after_sent=draft.state_after_sent,
        actor_kind=act.actor.kind,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        reasoning=draft.step.reasoning,
        trace_id=turn.trace_id,
        input_type=draft.input_type,
        output_type=draft.output_type,
        codec=draft.body.codec,
        data=draft.body.data,
        size=draft.body.size,
        request_key=act.request.key,
        request_digest=act.request.digest,
        salt=draft.body.salt,
        reasoning_digest=turn.reasoning_digest,
        commitment=draft.body.commitment,
        leaf=turn.leaf,
        chain=outcome.turn_chain,
        requested_at=act.now,
        created_at=outcome.created_at,
    )


def _body(encoded: EncodedWrite, number: int) -> dict[str, Any]:
    """Return what differs where the version does not show the head's body."""
    body, shows = encoded.body, encoded.shows
    if body is not None:
        values = (number, body.depth, body.size, body.salt, encoded.raw)
    elif shows is not None:
        values = tuple(getattr(shows, name) for name in OF_BODY)
    else:
        return {}
    return dict(zip(OF_BODY, values, strict=True)) | {"parsed": None, "leaves": None}
