"""One step of a run: the next thing that is due, in one transaction with its count."""

from __future__ import annotations

import structlog
from django.db import transaction

from apps.core.database.troubles import is_in_trouble
from apps.retention.counts import Counts
from apps.retention.models import Policy, Removal
from apps.retention.sweeping.doing import do
from apps.retention.sweeping.places import Place, Work
from apps.retention.sweeping.planning import Rule, next_work, rule_of, sessions_of

# Sessions with nothing due that one transaction passes by at most.
PASSED_BY = 200

log = structlog.get_logger("stepback.retention")


@transaction.atomic
def take_step(removal_id: str) -> bool | None:
    """Do the next step of a run; say whether there may be more.

    None where another sweep has it in hand, its policy was switched off, or it is over.
    """
    held = Removal.objects.running().filter(id=removal_id).first()
    if held is None:
        return None
    policies = Policy.objects.enabled().filter(id=held.policy_id)
    policy = policies.select_for_update(no_key=True, skip_locked=True).first()
    if policy is None:
        return None
    # Read again under the lock: another sweep may have done what was next.
    run = Removal.objects.running().filter(id=removal_id).first()
    return None if run is None else _step(run, policy)


def _step(run: Removal, policy: Policy) -> bool:
    counts, rule = Counts.of(run.counts), rule_of(policy, at=run.started_at)
    begun = Place.of(run.cursor)
    found = sessions_of(policy, at=run.started_at)
    if begun is not None:
        found = found.filter(id__gte=begun.session_id)
    page = list(found[:PASSED_BY])
    is_more = len(page) == PASSED_BY
    for session in page:
        is_begun = begun is not None and session.id == begun.session_id
        place = begun if is_begun and begun else Place(session_id=session.id)
        if not is_begun:
            counts.see(session)
        work = None if place.is_over else next_work(session, rule, place)
        if work is not None:
            place, is_more = done(work, place, run.id, counts, rule), True
        run.cursor = (place if work else place.over()).cursor()
        if work is not None:
            break
    run.counts, run.is_complete = counts.kept(), not is_more
    run.save(update_fields=["cursor", "counts", "is_complete"])
    return is_more


def done(
    work: Work, place: Place, removal_id: str, counts: Counts, rule: Rule
) -> Place:
    """Do one step of a session; return the place behind it.

    One that fails, because something of its session is damaged, is left out and
    counted: it must not hold up the rest.
    """
    try:
        with transaction.atomic():
            return do(work, place, removal_id, counts, rule)
    except Exception as error:
        # The database is gone or in need: the next sweep goes on.
        if is_in_trouble(error):
            raise
        id, step = place.session_id, work.step
        log.exception("a step of retention failed", session=id, step=step)
        counts.stays("failed")
        return place.over()
