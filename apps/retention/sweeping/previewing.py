"""Counting what a policy would take: each step is done and rolled back.

So a preview says what the removal would: the same functions count, under the same
locks, with the same pins. Nothing of it is committed but the count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime

import structlog
from django.db import DatabaseError, transaction
from django.utils import timezone

from apps.retention.counts import Counts
from apps.retention.models import Policy, Removal
from apps.retention.sweeping.doing import Then, do
from apps.retention.sweeping.planning import Work, next_work, sessions_of, terms_of
from apps.retention.sweeping.running import never
from apps.retention.sweeping.stepping import PASSED_BY
from apps.retention.words import State
from apps.timeline.models import Session

# A preview ends after so long, and says that it has not looked at all.
LONGEST_SECONDS = 60.0
Clock = Callable[[], float]

log = structlog.get_logger("stepback.retention")


def count_previews(
    *,
    now: datetime | None = None,
    is_stopping: Callable[[], bool] = never,
    clock: Clock = time.monotonic,
) -> int:
    """Count the previews that are asked for, the oldest first; return how many.

    One that is stopped in its middle is counted anew by the next call.
    """
    done = 0
    for preview in Removal.objects.to_preview().select_related("policy"):
        if is_stopping():
            return done
        try:
            is_over = _count(preview, is_stopping, clock)
        except DatabaseError:
            raise
        except Exception:
            log.exception("a preview failed", preview=preview.id)
            _settle(preview, State.FAILED, now)
        else:
            done += is_over
            if is_over:
                _settle(preview, State.READY, now)
    return done


def _count(preview: Removal, is_stopping: Callable[[], bool], clock: Clock) -> bool:
    """Count it; say whether that came to an end."""
    policy, counts, begun = preview.policy, Counts(), clock()
    terms = terms_of(policy)
    preview.is_complete = True
    for session in _sessions(policy, preview.started_at):
        if is_stopping():
            return False
        if clock() - begun > LONGEST_SECONDS:
            preview.is_complete = False
            break
        counts.seen += 1
        behind: Work | None = None
        while True:
            at = preview.started_at
            behind = next_work(session, terms, at=at, behind=behind)
            if behind is None or not _try(behind, session, preview.id, counts):
                break
    preview.counts = counts.kept()
    return True


def _sessions(policy: Policy, at: datetime) -> Iterator[Session]:
    """Yield the sessions that it is about, page by page."""
    found, after = sessions_of(policy, at=at), ""
    while True:
        page = list(found.filter(id__gt=after)[:PASSED_BY])
        yield from page
        if len(page) < PASSED_BY:
            return
        after = page[-1].id


def _try(work: Work, session: Session, preview_id: str, counts: Counts) -> bool:
    with transaction.atomic():
        while (then := do(work, session.id, preview_id, counts)) is Then.AGAIN:
            pass
        transaction.set_rollback(True)
    return then is Then.ON


def _settle(preview: Removal, state: State, now: datetime | None) -> None:
    failed = "Something went wrong on our side." if state is State.FAILED else ""
    Removal.objects.to_preview().filter(id=preview.id).update(
        state=state,
        counts=preview.counts,
        is_complete=preview.is_complete,
        error=failed,
        ended_at=now or timezone.now(),
    )
