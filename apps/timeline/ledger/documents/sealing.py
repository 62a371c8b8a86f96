"""Seal the versions of keyed documents: body, leaf and record, before any lock."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from apps.agents.acts import Act
from apps.core import json
from apps.core.ids import new_id
from apps.timeline.bodies import Part
from apps.timeline.bodies.bundles import JSON
from apps.timeline.ledger.documents.values import Document, Told
from apps.timeline.ledger.drafts import Draft
from apps.timeline.ledger.encoding.rows import claim_of
from apps.timeline.ledger.encoding.values import EncodedWrite, Stamp
from apps.timeline.ledger.encoding.writes import encode_body, sealer
from apps.timeline.versions.keyed.values import ENTRY
from apps.timeline.versions.proof import SALT_BYTES
from apps.timeline.versions.reading import Step
from apps.timeline.words import Hold, KeyedOp, Op


def seal(
    act: Act,
    document: Document,
    *,
    op: Op | KeyedOp,
    body: bytes,
    told: Told,
    place: int = 0,
    size: int = 0,
    restored_number: int | None = None,
    reasoning: str | None = None,
) -> dict[str, Any]:
    """Return one version as `timeline_keyed_item_v1` has it.

    `place` is that among the versions of one act, of which the last alone has its key:
    the others are sealed for `keyless`.
    """
    encoded = EncodedWrite(sealer=sealer(document.project, document.id))
    event_id = new_id("trace", now=act.now, sequence=place)
    stored = encode_body(
        encoded,
        (Part(ENTRY, JSON, body),),
        # It is not known yet, and matters to a delta alone.
        number=0,
        base=None,
    )
    step, salt = Step(reasoning=reasoning), secrets.token_bytes(SALT_BYTES)
    draft = Draft(op=op, hold=Hold.OPEN, step=step, restored_number=restored_number)
    stamp = Stamp(act=act, session_id=document.id, number=0)
    claim = claim_of(draft, stamp, stored.commitment, salt, event_id)
    return {
        "op": op,
        "restored_number": restored_number,
        "size": size,
        "trace_id": event_id,
        "request_key": claim.request_key,
        "salt": salt,
        "reasoning_digest": claim.reasoning_digest,
        "step_digest": claim.step_digest,
        "commitment": stored.commitment,
        "leaf": claim.leaf(),
        "base_number": stored.base_number,
        "depth": stored.depth,
        "codec": int(stored.codec),
        "body_salt": stored.salt,
        "body_size": stored.size,
        "data": stored.data,
    } | _record(act, document, told, event_id)


def keyless(act: Act) -> Act:
    """Return an act without the idempotency key of its request."""
    return replace(act, request=replace(act.request, key=None))


def _record(act: Act, document: Document, told: Told, event_id: str) -> dict[str, Any]:
    record = document.record(act, told, event_id)
    return {
        "event_id": event_id,
        "action": record.action,
        "resource_type": record.resource_type,
        "resource_id": record.resource_id,
        "record_salt": record.salt,
        "resource_digest": record.resource_digest,
        "result": record.result,
        "rule": record.rule,
        "details": json.dumps(record.details).decode(),
        "facts": record.facts(),
        "event_action": told.event and told.event.value,
    }
