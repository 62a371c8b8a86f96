"""The end of an erasure: the last look, the certificate, the journal, the record."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.accounts.encryption import destroy_subject_key
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import SYSTEM
from apps.core.provenance import unrequested
from apps.core.time.moments import utc_text
from apps.erasures import journal
from apps.erasures.models import Erasure, Preview, Target
from apps.erasures.running.counting import count
from apps.erasures.running.holding import hold
from apps.erasures.running.looking import look
from apps.erasures.running.staying import known_backups, staying
from apps.erasures.running.unholding import take_holds
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
    if look(locked, subject) or not _key_destroyed(locked, subject):
        return False
    take_holds(locked, subject, now=now)
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


def _key_destroyed(locked: Erasure, subject: Subject) -> bool:
    """Destroy the key of the person's data; False where a session came in before that.

    Whoever began one held the key until it was there, and has to have it again: what
    is removed is decoded first.
    """
    if not subject.user:
        return True
    with transaction.atomic():
        destroyed = destroy_subject_key(subject.project, subject.user)
        is_more = bool(look(locked, subject))
        transaction.set_rollback(is_more)
    if is_more:
        look(locked, subject)
        return False
    if destroyed:
        count(locked, Counter(encryption_keys=destroyed))
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
