"""The claims of new versions and turns, which leaves cover; the digest of a step."""

from __future__ import annotations

from apps.timeline.ledger.drafts import Draft, TurnDraft
from apps.timeline.ledger.events import Stamp
from apps.timeline.versions import proof
from apps.timeline.versions.reading import Step, VersionRow

STEP_FIELDS = (
    "step_number",
    "step_parent_id",
    "objective_status",
    "schema_version",
    "release",
    "model",
)


def claim_of(
    draft: Draft, stamp: Stamp, commitment: bytes, salt: bytes, trace_id: str
) -> proof.Claim:
    return proof.Claim(
        project_id=stamp.act.project_id,
        session_id=stamp.session_id,
        op=draft.op,
        hold=draft.hold,
        restored_number=draft.restored_number,
        undo_of=draft.undo_of,
        external_id=draft.step.external_id,
        actor_kind=stamp.act.actor.kind,
        actor_id=stamp.act.actor.id,
        trace_id=trace_id,
        request_key=stamp.act.request.key,
        requested_at=stamp.act.now,
        reasoning_digest=proof.salted(salt, draft.step.reasoning),
        step_digest=step_digest(salt, draft.step, draft.reason_code),
        commitment=commitment,
    )


def turn_claim_of(
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
    )


def step_digest(salt: bytes, step: Step | VersionRow, reason_code: str | None) -> bytes:
    """Return the digest of the step metadata, of a draft or of a stored version."""
    texts = [getattr(step, name) for name in STEP_FIELDS]
    return proof.salted(salt, *texts, reason_code)
