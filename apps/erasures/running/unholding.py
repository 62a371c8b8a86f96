"""Take the legal holds of a person that are over: who was meant stands in them."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import SYSTEM
from apps.core.provenance import unrequested
from apps.erasures.models import Erasure
from apps.erasures.running.counting import count
from apps.erasures.subjects import Subject
from apps.retention.covered import LEGAL_HOLD
from apps.retention.models import LegalHold
from apps.retention.words import HoldKind


def take_holds(locked: Erasure, subject: Subject, *, now: datetime) -> None:
    """Delete those that are over; a record of each says that it is to be missing."""
    if not subject.user:
        return
    mine = LegalHold.objects.of_project(subject.project.id)
    named = mine.filter(kind=HoldKind.USER, value=subject.user)
    for hold in [one for one in named.order_by("id") if not one.stands(now)]:
        audit.record_act(
            stream_id=hold.project_id,
            project_id=hold.project_id,
            action=Action.LEGAL_HOLD_ENDED,
            resource_type="legal_hold",
            resource_id=hold.id,
            act=unrequested(SYSTEM, now),
            details={"kind": hold.kind} | LEGAL_HOLD.removed(hold).details(),
        )
        hold.delete()
        count(locked, Counter(legal_holds=1))
