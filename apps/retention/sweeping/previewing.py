"""Counting what a policy would take: a session's steps are done and rolled back.

So a preview says what the removal would: the same functions count, under the same
locks, with the same pins, each step behind those before it. Nothing of it is committed
but the count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import transaction
from django.utils import timezone

from apps.core.database.troubles import is_in_trouble
from apps.retention.counts import Counts
from apps.retention.models import Policy, Removal
from apps.retention.sweeping.places import Place
from apps.retention.sweeping.planning import Rule, next_work, rule_of, sessions_of
from apps.retention.sweeping.running import never
from apps.retention.sweeping.stepping import PASSED_BY, done
from apps.retention.words import State
from apps.timeline.models import Session

# A preview ends after so long, and says that it has not looked at all.
LONGEST_SECONDS = 60.0
# So long one session's writers wait for it; what is more of it is not counted either.
LONGEST_OF_ONE_SECONDS = 2.0
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
    counted = 0
    for preview in Removal.objects.to_preview().select_related("policy"):
        if is_stopping():
            return counted
        try:
            is_over = _Counting(preview, clock).run(is_stopping)
        except Exception as error:
            if is_in_trouble(error):
                raise
            log.exception("a preview failed", preview=preview.id)
            _settle(preview, State.FAILED, now)
        else:
            counted += is_over
            if is_over:
                _settle(preview, State.READY, now)
    return counted


@dataclass(slots=True)
class _Counting:
    """One preview, while it is counted."""

    preview: Removal
    clock: Clock

    def run(self, is_stopping: Callable[[], bool]) -> bool:
        """Count it; say whether that came to an end."""
        preview, counts, begun = self.preview, Counts(), self.clock()
        rule = rule_of(preview.policy, at=preview.started_at, is_preview=True)
        preview.is_complete = True
        for session in _sessions(preview.policy, preview.started_at):
            if is_stopping():
                return False
            if self.clock() - begun > LONGEST_SECONDS:
                preview.is_complete = False
                break
            counts.see(session)
            if next_work(session, rule, Place(session_id=session.id)) is not None:
                preview.is_complete &= self._count(session.id, rule, counts)
        preview.counts = counts.kept()
        return True

    def _count(self, session_id: str, rule: Rule, counts: Counts) -> bool:
        """Do all steps of a session and undo them; say whether these were all."""
        with transaction.atomic():
            is_all = self._do_all(session_id, rule, counts)
            transaction.set_rollback(True)
        return is_all

    def _do_all(self, session_id: str, rule: Rule, counts: Counts) -> bool:
        until = self.clock() + LONGEST_OF_ONE_SECONDS
        every = Session.with_documents.filter(id=session_id)
        mine = every.select_for_update(no_key=True)
        place = Place(session_id=session_id)
        # Read again before each step, as the removal does.
        while not place.is_over and (session := mine.first()) is not None:
            work = next_work(session, rule, place)
            if work is None:
                break
            if self.clock() > until:
                return False
            place = done(work, place, self.preview.id, counts, rule)
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


def _settle(preview: Removal, state: State, now: datetime | None) -> None:
    failed = "Something went wrong on our side." if state is State.FAILED else ""
    Removal.objects.to_preview().filter(id=preview.id).update(
        state=state,
        counts=preview.counts,
        is_complete=preview.is_complete,
        error=failed,
        ended_at=now or timezone.now(),
    )
