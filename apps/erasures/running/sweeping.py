"""The order of an erasure, each step a transaction that can be the last.

1. Note the histories that are the person's. 2. Take them away, one after another, a
piece at a time, with what apps keep of them. 3. Look again: what was begun meanwhile
goes as well. 4. What is left beside histories. 5. Files that nobody else
names. 6. Certificate, journal, end. What a
step removed is counted in its own transaction, so whoever is killed counts nothing
twice, and the next sweep goes on from there. Each step holds the erasure's row: of two
sweeps at once, each does the step that the other has not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime

import structlog
from django.db import transaction

from apps.core.database.troubles import is_in_trouble
from apps.erasures.models import Erasure, Preview, Target
from apps.erasures.running.counting import count
from apps.erasures.running.ending import finish
from apps.erasures.running.files import take_files
from apps.erasures.running.holding import Over, hold
from apps.erasures.running.looking import is_held, look
from apps.erasures.subjects import Subject
from apps.erasures.words import Kind, Waits
from apps.retention.standing import hold_for_removal
from apps.retention.sweeping import never
from apps.timeline.hooks.keeping import (
    erase_leavings,
    leavings_of_erased_sessions,
    leavings_of_people,
    leavings_of_sessions,
)
from apps.timeline.models import Session
from apps.timeline.operations import Gone, Went, remove_session

# What the tombstones say of why.
REASON = "erasure"
_WAITS = {Went.HELD: Waits.LEGAL_HOLD, Went.MOVED: Waits.DAMAGED}

log = structlog.get_logger("stepback.erasures")


def sweep(*, now: datetime, is_stopping: Callable[[], bool] = never) -> int:
    """Do all erasures that are not over; return how many are now.

    One that fails keeps no other from going on, and is tried again by the next sweep.
    `is_stopping` is asked between two steps, each of which is done whole. Previews that
    nothing can be begun with any more forget whom they were about.
    """
    done = 0
    Preview.objects.stale(now).update(value="")
    for erasure in Erasure.objects.running():
        if is_stopping():
            break
        try:
            done += run(erasure, now=now, is_stopping=is_stopping)
        except Exception as error:
            # The database is gone or in need: the next sweep goes on.
            if is_in_trouble(error):
                raise
            log.exception("an erasure stops", id=erasure.id, why=type(error).__name__)
    return done


def run(
    erasure: Erasure, *, now: datetime, is_stopping: Callable[[], bool] = never
) -> bool:
    """Go on with one erasure; say whether it is over.

    It is not where something keeps it (`Waits`): the next sweep looks again.
    """
    subject = subject_of(erasure)
    try:
        while True:
            look(erasure, subject)
            if not _take_all(erasure, subject, now, is_stopping):
                return False
            _tidy(erasure, subject)
            if not take_files(erasure, now):
                return False
            if finish(erasure, subject, now=now):
                return True
    except Over:
        return True


def subject_of(erasure: Erasure) -> Subject:
    return Subject(
        project=erasure.project, kind=Kind(erasure.kind), value=erasure.value
    )


def _take_all(
    erasure: Erasure, subject: Subject, now: datetime, is_stopping: Callable[[], bool]
) -> bool:
    """Remove each history that was noted; False where something keeps one."""
    for target in Target.objects.of(erasure.id).to_remove():
        is_more: bool | None = True
        while is_more:
            if is_stopping():
                return False
            is_more = _take(erasure, target.history_id, subject, now)
        if is_more is None:
            return False
    return True


@transaction.atomic
def _take(
    erasure: Erasure, history_id: str, subject: Subject, now: datetime
) -> bool | None:
    """Remove a piece of a history; say whether there is more, None: it is kept.

    Raises: Over.
    """
    locked = hold(erasure)
    noted = Target.objects.of(locked.id).to_remove()
    target = noted.filter(history_id=history_id).first()
    if target is None:
        return False
    if _is_kept(subject, history_id, now):
        gone = Gone(outcome=Went.HELD)
    else:
        gone = remove_session(
            session_id=history_id, removal_id=locked.id, reason=REASON, erasing=True
        )
    waits_for = _WAITS.get(gone.outcome, "")
    if locked.waits_for != waits_for:
        locked.waits_for = waits_for
        locked.save(update_fields=["waits_for"])
    if waits_for:
        return None
    _note(locked, target, gone, _erase_beside(subject, history_id))
    return gone.has_more


def _is_kept(subject: Subject, history_id: str, now: datetime) -> bool:
    """Say whether a legal hold keeps a history, or the person."""
    there = Session.with_documents.filter(id=history_id).first()
    if there is not None and hold_for_removal(there) is not None:
        return True
    return is_held(subject, [history_id], now=now)


def _erase_beside(subject: Subject, history_id: str) -> Counter[str]:
    """Remove what the ledger leaves of a history, and what came since it went."""
    asked = {"session": history_id, "project": subject.project.id}
    gone = erase_leavings(leavings_of_sessions(), asked)
    return gone + erase_leavings(leavings_of_erased_sessions(), asked)


def _note(locked: Erasure, target: Target, gone: Gone, beside: Counter[str]) -> None:
    kept = Counter(gone.kept)
    others = gone.rows - gone.versions - gone.turns - kept.total()
    found = Counter(versions=gone.versions, turns=gone.turns, rows=others)
    found += kept + beside
    target.counts = dict(Counter(target.counts) + found)
    target.bytes += gone.bytes
    target.is_gone = not gone.has_more
    target.save(update_fields=["counts", "bytes", "is_gone"])
    count(locked, found)


@transaction.atomic
def _tidy(erasure: Erasure, subject: Subject) -> None:
    """Remove what was left of the histories since, and what is beside them.

    Raises: Over.
    """
    locked = hold(erasure)
    ids = list(Target.objects.of(erasure.id).values_list("history_id", flat=True))
    gone: Counter[str] = Counter()
    for one in ids:
        gone += _erase_beside(subject, one)
    gone += erase_leavings(leavings_of_people(), subject.asked(ids))
    count(locked, gone)
