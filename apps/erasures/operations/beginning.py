"""Beginning an erasure: from then on the sweeping process does it, and ends it."""

from __future__ import annotations

import secrets

from django.db import IntegrityError, transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.erasures.errors import UnacceptableErasure, UnderLegalHold
from apps.erasures.models import Erasure, Preview
from apps.erasures.querysets import PREVIEW_COUNTS
from apps.erasures.subjects import Subject, hold_on, sessions_of
from apps.erasures.words import Kind
from apps.retention.errors import PreviewStale
from apps.retention.standing import wait_for_removals

LONGEST_REASON = 2_000
SALT_BYTES = 16


def begin(*, act: Act, preview_id: str, reason: str) -> Erasure:
    """Have erased what a preview showed; repeated, the first one is answered.

    Raises: PreviewNotFound, PreviewStale, UnderLegalHold, UnacceptableErasure.
    """
    preview = Preview.objects.one(act.project_id, preview_id)
    try:
        return _begun(preview) or _begin(act, preview, reason)
    except IntegrityError:
        # Of two at once one was first.
        first = _begun(preview)
        if first is None:
            raise
        return first


def _begun(preview: Preview) -> Erasure | None:
    mine = Erasure.objects.of_project(preview.project_id)
    return mine.filter(preview_id=preview.id).first()


@transaction.atomic
def _begin(act: Act, preview: Preview, reason: str) -> Erasure:
    if not 1 <= len(reason.strip()) <= LONGEST_REASON or "\0" in reason:
        raise UnacceptableErasure(
            f"A reason has 1 to {LONGEST_REASON:,} characters.", param="reason"
        )
    if preview.created_at < act.now - PREVIEW_COUNTS:
        raise PreviewStale("This preview is older than a day.", param="preview_id")
    if not preview.value:
        # It would certify that nobody was erased.
        raise PreviewStale(
            "Whom this preview counted was erased since: take another.",
            param="preview_id",
        )
    subject = Subject(project=act.project, kind=Kind(preview.kind), value=preview.value)
    # A hold that is being set is set before or after, not in between.
    wait_for_removals(act.project_id)
    held = hold_on(subject, sessions_of(subject), now=act.now)
    if held is not None:
        raise UnderLegalHold(f"Legal hold {held.id} keeps it: end that first.")
    erasure = Erasure.objects.create(
        id=new_id("eras", now=act.now),
        project=act.project,
        preview_id=preview.id,
        kind=preview.kind,
        value=preview.value,
        salt=secrets.token_bytes(SALT_BYTES),
        reason=reason.strip(),
        asked_by_label=act.actor.label,
        started_at=act.now,
    )
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=Action.ERASURE_BEGUN,
        resource_type="erasure",
        resource_id=erasure.id,
        act=act,
        details={"kind": erasure.kind, "preview_id": preview.id},
    )
    return erasure
