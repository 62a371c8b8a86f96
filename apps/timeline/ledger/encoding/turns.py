"""Encode a turn: its leaf, the event that tells of it, and the rows of both."""

from __future__ import annotations

from typing import Any

from apps.agents.acts import Act
from apps.core import json
from apps.core.json import Json
from apps.timeline.ledger.drafts import TurnDraft
from apps.timeline.ledger.encoding.calls import TURN
from apps.timeline.ledger.encoding.values import EncodedWrite, NewTurn, Stamp
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.models import Turn
from apps.timeline.versions import proof

NONE = dict.fromkeys(TURN)
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


def of_turn(turn: NewTurn) -> dict[str, Any]:
    """Return the turn and its event."""
    draft = turn.draft
    return {
        "turn_id": draft.id,
        "turn_trace_id": turn.trace_id,
        "before_number": draft.before_number,
        "state_after_sent": draft.state_after_sent,
        "input_type": draft.input_type,
        "output_type": draft.output_type,
        "turn_codec": int(draft.body.codec),
        "turn_size": draft.body.size,
        "turn_data": draft.body.data,
        "turn_text": draft.text,
        "turn_salt": draft.body.salt,
        "turn_reasoning_digest": turn.reasoning_digest,
        "turn_commitment": draft.body.commitment,
        "turn_leaf": turn.leaf,
        "usage": None if draft.usage is None else json.dumps(draft.usage).decode(),
        "turn_event_id": turn.event_id,
        "turn_details": json.dumps(turn.details).decode(),
    }


def written_turn(turn: NewTurn, *, act: Act, session_id: str, outcome: Any) -> Turn:
    """Return the turn that was stored with an outcome of the SQL function."""
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
        created_at=outcome.turn_created_at,
        usage=draft.usage,
        spent=outcome.spent,
    )
