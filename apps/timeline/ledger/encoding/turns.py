"""Encode a turn: what it claims, its leaf, and the event that tells of it."""

from __future__ import annotations

from apps.core import json
from apps.core.json import Json
from apps.timeline.ledger.drafts import TurnDraft
from apps.timeline.ledger.encoding.values import EncodedWrite, NewTurn, Stamp
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.versions import proof

# Which stands in the event as the tool's name.
CALL = "tool_call"


def encode_turn(
    encoded: EncodedWrite, turn: TurnDraft, stamp: Stamp, event_id: str
) -> None:
    """Add the turn to a write, after the version that came with it."""
    details = {"input_type": turn.input_type, "output_type": turn.output_type}
    claim = _claim_of(
        turn,
        stamp,
        made_version=encoded.version is not None,
        trace_id=turn.step.trace_id or event_id,
    )
    encoded.turn = NewTurn(
        draft=turn,
        trace_id=claim.trace_id,
        made_version=claim.made_version,
        reasoning_digest=claim.reasoning_digest,
        leaf=claim.leaf(),
        event_id=event_id,
        details=json.cleaned(details | turn.facts | _used(turn)),
    )
    if turn.step.trace_id is not None:
        given, key = [turn.step.trace_id], bytes(stamp.act.project.index_key)
        encoded.terms |= index.tagged(key, SearchTag.TRACE, given)


def _claim_of(
    turn: TurnDraft, stamp: Stamp, *, made_version: bool, trace_id: str
) -> proof.TurnClaim:
    return proof.TurnClaim(
        project_id=stamp.act.project_id,
        session_id=stamp.session_id,
        id=turn.id,
        head_number=stamp.number,
        made_version=made_version,
        before_number=turn.before_number,
        state_after_sent=turn.state_after_sent,
        actor_kind=stamp.act.actor.kind,
        actor_id=stamp.act.actor.id,
        trace_id=trace_id,
        input_type=turn.input_type,
        output_type=turn.output_type,
        request_key=stamp.act.request.key,
        requested_at=stamp.act.now,
        reasoning_digest=proof.salted(turn.body.salt, turn.step.reasoning),
        commitment=turn.body.commitment,
        usage=turn.usage,
    )


def _used(turn: TurnDraft) -> dict[str, Json]:
    """Return what the event tells of tokens and cost, which rollups add up."""
    said = {name: value for name, value in (turn.usage or {}).items() if name != CALL}
    return {"usage": said} if said else {}
