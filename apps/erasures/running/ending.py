"""The end of an erasure: the last look, the certificate, the journal, the record."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import SYSTEM
from apps.core.provenance import unrequested
from apps.core.time.moments import utc_text
from apps.erasures import journal
from apps.erasures.models import Erasure, Preview, Target
from apps.erasures.running.holding import hold
from apps.erasures.running.looking import look
from apps.erasures.running.staying import known_backups, staying
from apps.erasures.subjects import Subject, digest_of
from apps.erasures.words import State


@transaction.atomic
def finish(erasure: Erasure, subject: Subject, *, now: datetime) -> bool:
    """End an erasure unless a last look finds more; say whether it is over.

    The journal has it before the database says so: who is killed in between ends it
    with the entry that is there.

    Raises: Over, and what `journal.appended` raises.
    """
    locked = hold(erasure)
    if look(locked, subject):
        return False
    if locked.entry is None:
        locked.entry = journal.appended(certificate(locked, subject, now)).data
    locked.state, locked.ended_at, locked.value = State.DONE, now, ""
    locked.save(update_fields=["entry", "state", "ended_at", "value"])
    # Whose it was is nowhere any more.
    Preview.objects.filter(
        project_id=locked.project_id, kind=locked.kind, value=subject.value
    ).update(value="")
    Target.objects.of(locked.id).delete()
    audit.record_act(
        stream_id=locked.project_id,
        project_id=locked.project_id,
        action=Action.ERASURE_DONE,
        resource_type="erasure",
        resource_id=locked.id,
        act=unrequested(SYSTEM, now),
        details={"data_points_deleted": sum(locked.counts.values())},
    )
    return True


def certificate(erasure: Erasure, subject: Subject, now: datetime) -> dict[str, Any]:
    """Return what is certified of an erasure at this moment."""
    salt = bytes(erasure.salt)
    targets = list(Target.objects.of(erasure.id).order_by("history_id"))
    ids = [one.history_id for one in targets]
    return {
        "object": "erasure_certificate",
        "id": erasure.id,
        "project_id": erasure.project_id,
        "kind": erasure.kind,
        "subject": {
            "salt": salt.hex(),
            "digest": digest_of(salt, subject.value),
        },
        "started_at": utc_text(erasure.started_at),
        "deleted_at": utc_text(now),
        "data_points_deleted": sum(erasure.counts.values()),
        "counts": erasure.counts,
        "bytes": sum(one.bytes for one in targets),
        "histories": [_history(one, salt) for one in targets],
        "staying": staying(subject, ids),
        "backups": "Each backup that was made before deleted_at holds it until it is "
        "deleted; restore applies this journal before anybody is served.",
        "backups_known": known_backups(),
    }


def _history(target: Target, salt: bytes) -> dict[str, Any]:
    return {
        "digest": digest_of(salt, target.history_id),
        "kind": "session" if target.is_session else "memories",
        "last_version": target.number,
        "chain": bytes(target.chain).hex(),
        "counts": target.counts,
        "bytes": target.bytes,
    }
