"""The order of an erasure, each step a transaction that can be the last.

1. Note the histories that are the person's. 2. Take them away, one after another, a
piece at a time, with what apps keep of them. 3. Look again: what was begun meanwhile
goes as well. 4. What is left beside histories. 5. Certificate, journal, end. What a
step removed is counted in its own transaction, so whoever is killed counts nothing
twice, and the next sweep goes on from there.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import structlog
from django.db import transaction

from apps.erasures.models import Erasure, Target
from apps.erasures.running.ending import finish
from apps.erasures.running.looking import is_held, look
from apps.erasures.subjects import Subject
from apps.erasures.words import Kind
from apps.retention.standing import hold_for_removal
from apps.timeline.hooks.erasing import (
    erase_leavings,
    leavings_of_people,
    leavings_of_sessions,
)
from apps.timeline.hooks.histories import allow_removal, remove_history
from apps.timeline.models import Session

log = structlog.get_logger("stepback.erasures")


def sweep(*, now: datetime) -> int:
    """Do all erasures that are not over; return how many are now.

    One that fails keeps no other from going on, and is tried again by the next sweep.
    """
    done = 0
    for erasure in Erasure.objects.running():
        try:
            done += run(erasure, now=now)
        except Exception as error:
            log.exception("an erasure stops", id=erasure.id, why=type(error).__name__)
    return done


def run(erasure: Erasure, *, now: datetime) -> bool:
    """Go on with one erasure; say whether it is over.

    It is not where a legal hold was set meanwhile: the next sweep looks again.
    """
    subject = subject_of(erasure)
    while True:
        look(erasure, subject)
        if not _take_all(erasure, subject, now):
            return False
        _tidy(erasure, subject)
        if finish(erasure, subject, now=now):
            return True


def subject_of(erasure: Erasure) -> Subject:
    return Subject(
        project=erasure.project, kind=Kind(erasure.kind), value=erasure.value
    )


def _take_all(erasure: Erasure, subject: Subject, now: datetime) -> bool:
    """Remove each history that was noted; False where a legal hold keeps one."""
    for target in Target.objects.of(erasure.id).to_remove():
        while not target.is_gone:
            if not _take(erasure, target, subject, now):
                return False
    return True


@transaction.atomic
def _take(erasure: Erasure, target: Target, subject: Subject, now: datetime) -> bool:
    """Remove what apps keep of a history, which is its rows' children, and a piece."""
    locked = _lock(erasure)
    there = Session.with_documents.filter(id=target.history_id).first()
    held = is_held(subject, [target.history_id], now=now)
    if there is not None:
        held = hold_for_removal(there) is not None or held
    if locked.is_held != held:
        locked.is_held = held
        locked.save(update_fields=["is_held"])
    if held:
        return False
    gone = _leavings_of(subject, target.history_id)
    taken = remove_history(session_id=target.history_id)
    gone += Counter(versions=taken.versions, turns=taken.turns, rows=taken.rows)
    target.counts = dict(Counter(target.counts) + gone)
    target.bytes += taken.bytes
    target.is_gone = taken.is_gone
    target.save(update_fields=["counts", "bytes", "is_gone"])
    _count(locked, gone)
    return True


@transaction.atomic
def _tidy(erasure: Erasure, subject: Subject) -> None:
    """Remove what was left of the histories since, and what is beside them."""
    locked = _lock(erasure)
    allow_removal()
    ids = list(Target.objects.of(erasure.id).values_list("history_id", flat=True))
    gone: Counter[str] = Counter()
    for one in ids:
        gone += _leavings_of(subject, one)
    gone += erase_leavings(leavings_of_people(), subject.asked(ids))
    _count(locked, gone)


def _leavings_of(subject: Subject, history_id: str) -> Counter[str]:
    allow_removal()
    asked = {"session": history_id, "project": subject.project.id}
    return erase_leavings(leavings_of_sessions(), asked)


def _lock(erasure: Erasure) -> Erasure:
    return Erasure.objects.select_for_update(of=("self",)).get(id=erasure.id)


def _count(locked: Erasure, gone: Counter[str]) -> None:
    if gone:
        locked.counts = dict(sorted((Counter(locked.counts) + gone).items()))
        locked.save(update_fields=["counts"])
