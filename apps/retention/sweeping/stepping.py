"""One step of a run: the next thing that is due, in one transaction with its count."""

from __future__ import annotations

from typing import Any

import structlog
from django.db import DatabaseError, transaction

from apps.retention.counts import Counts
from apps.retention.models import Policy, Removal
from apps.retention.sweeping.doing import Then, do
from apps.retention.sweeping.planning import Work, next_work, sessions_of, terms_of
from apps.retention.words import Step
from apps.timeline.models import Session

# Sessions with nothing due that one transaction passes by at most.
PASSED_BY = 200
OVER = "over"

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
    counts, terms = Counts.of(run.counts), terms_of(policy)
    begun = run.cursor.get("session")
    found = sessions_of(policy, at=run.started_at)
    page = list((found.filter(id__gte=begun) if begun else found)[:PASSED_BY])
    is_more = len(page) == PASSED_BY
    for session in page:
        is_begun = session.id == begun
        counts.seen += not is_begun
        if is_begun and run.cursor["step"] == OVER:
            continue
        behind = _behind(run.cursor) if is_begun else None
        work = next_work(session, terms, at=run.started_at, behind=behind)
        if work is None:
            run.cursor = {"session": session.id, "step": OVER}
            continue
        then = _do(work, session, run.id, counts)
        if then is Then.OVER:
            run.cursor = _cursor(session)
        elif then is Then.ON:
            run.cursor = _cursor(session, work)
        else:
            # Nothing is behind the cursor yet: the same step comes again.
            run.cursor = {"session": session.id, "step": None}
        is_more = True
        break
    run.counts, run.is_complete = counts.kept(), not is_more
    run.save(update_fields=["cursor", "counts", "is_complete"])
    return is_more


def _do(work: Work, session: Session, removal_id: str, counts: Counts) -> Then:
    """Do one step of a session; say what comes next.

    One that fails, because something of its session is damaged, is left out and
    counted: it must not hold up the rest.
    """
    try:
        with transaction.atomic():
            return do(work, session.id, removal_id, counts)
    except DatabaseError:
        # Of all sessions, not of this one: the next sweep goes on.
        raise
    except Exception:
        log.exception("a step of retention failed", session=session.id, step=work.step)
        counts.stays("failed")
        return Then.OVER


def _behind(cursor: dict[str, Any]) -> Work | None:
    """Return the step that was done last; None where none was."""
    if cursor["step"] is None:
        return None
    return Work(step=Step(cursor["step"]), last=cursor["last"])


def _cursor(session: Session, work: Work | None = None) -> dict[str, Any]:
    if work is None:
        return {"session": session.id, "step": OVER}
    return {"session": session.id, "step": work.step.value, "last": work.last}
