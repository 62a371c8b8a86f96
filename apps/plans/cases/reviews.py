"""Review sessions, and take such reviews back.

Reviews stay, and the newest counts: what takes one back writes another, which says what
counted before. It does so where the plan's is the newest still: whoever has reviewed a
session since has decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.core import sql
from apps.core.errors import InvalidRequest
from apps.plans.cases import reasons
from apps.plans.cases.case import Case, Done, Reason, Sight, Task
from apps.timeline import operations as timeline
from apps.timeline.errors import ReviewReplaced
from apps.timeline.words import Outcome

# Clocks differ: which is the newest, its ordinal says.
_NEWEST = sql.across("""
SELECT r.session_id, max(r.ordinal) AS newest,
       max(r.ordinal) FILTER (WHERE r.created_at = ANY (%(moments)s)) AS given
  FROM timeline_review r
 WHERE r.session_id = ANY (%(sessions)s::varchar[])
 GROUP BY r.session_id LIMIT %(limit)s
""")


def _read(given: Mapping[str, Any]) -> dict[str, Any]:
    outcome = given.get("outcome")
    if outcome not in Outcome.values:
        raise InvalidRequest(f"outcome takes {' or '.join(Outcome)}.", param="outcome")
    return {"outcome": outcome}


def _look(sight: Sight) -> dict[str, Reason]:
    """Leave out what is reviewed so already; of an undo, what was reviewed since."""
    if sight.before:
        return _look_back(sight)
    outcome = sight.params["outcome"]
    reviewed = {
        id: reasons.reviewed(outcome)
        for id, session in sight.sessions.items()
        if session.review == outcome
    }
    return reviewed | sight.by_status(reasons.ENDED)


def _notice(sight: Sight) -> dict[str, Reason]:
    """Tell of what is reviewed otherwise what its newest review says."""
    return {
        id: reasons.overruled(session.review)
        for id, session in sight.sessions.items()
        if session.review not in (None, sight.params["outcome"])
    }


def _look_back(sight: Sight) -> dict[str, Reason]:
    replaced = dict.fromkeys(_replaced(sight), reasons.REPLACED)
    return replaced | sight.by_status(reasons.ENDED)


def _replaced(sight: Sight) -> list[str]:
    """Return the sessions whose newest review is not the one of the plan before."""
    known = list(sight.sessions)
    moments = [item.done_at for item in sight.before.values()]
    asked = {"sessions": known, "moments": moments, "limit": len(known)}
    found = sql.rows(_NEWEST, asked) if known else []
    return [row.session_id for row in found if row.newest != row.given]


def _give(task: Task) -> Done | Reason:
    if task.before is not None:
        return _take_back(task)
    outcome = task.plan.params["outcome"]
    given = timeline.review(
        act=task.act,
        session_id=task.item.session_id,
        outcome=outcome,
        why=task.plan.reason or None,
    )
    if given.created_at != task.act.now:
        # Whoever confirmed has said so already, meanwhile and by hand.
        return reasons.reviewed(outcome)
    return Done(number=None)


def _take_back(task: Task) -> Done:
    at = None if task.before is None else task.before.done_at
    if at is None:
        raise ReviewReplaced
    timeline.withdraw_review(act=task.act, session_id=task.item.session_id, given_at=at)
    return Done(number=None)


REVIEW = Case(
    kind="review",
    title="Review",
    asks="Review {sessions} as {outcome}",
    doing="Reviewing {sessions} as {outcome}",
    did="{sessions} reviewed as {outcome}",
    look=_look,
    do=_give,
    read=_read,
    inverse="unreview",
    notice=_notice,
    noticed="reviewed otherwise: that review stays, and no longer counts",
    leaves_out=frozenset({"session_not_found", "review_replaced"}),
)
# Only the undo of a plan that reviewed: which reviews are meant, that plan knows.
UNREVIEW = Case(
    kind="unreview",
    title="Take back the review",
    asks="Take back the review “{outcome}” of {sessions}",
    doing="Taking back the review “{outcome}” of {sessions}",
    did="the review “{outcome}” of {sessions} taken back",
    look=_look_back,
    do=_take_back,
    read=_read,
    inverse="review",
    leaves_out=frozenset({"session_not_found", "review_replaced"}),
)
