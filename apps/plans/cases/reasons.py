"""Why sessions are left out, in the words of a plan."""

from apps.plans.cases.case import EXPIRED, Reason
from apps.timeline.words import Status

UNKNOWN = Reason("session_not_found", "there is no such session")
GONE = Reason("session_not_found", "deleted or expired meanwhile")
DELETED = Reason("session_deleted", "deleted")
OVER = Reason("session_expired", "expired")
CLOSED = Reason("session_closed", "closed: it can be read, not changed")
HELD_BACK = Reason("session_paused", "held: agents may not write to it")
HELD = Reason("already_paused", "held already")
NOT_HELD = Reason("not_paused", "not held")
LABELLED = Reason("label_given", "its head has the label already")
UNLABELLED = Reason("label_not_found", "the label was taken away already")
LABELLED_ANEW = Reason("label_given", "the label was taken away and given anew")
REPLACED = Reason("review_replaced", "somebody has reviewed it since")

# What no act changes any more.
ENDED = {Status.DELETED.value: DELETED, EXPIRED: OVER}
# What errors of operations say of a session that has changed since it was looked at.
MEANWHILE = {
    one.code: one
    for one in (GONE, CLOSED, HELD, NOT_HELD, LABELLED, UNLABELLED, REPLACED)
}


def reviewed(outcome: str) -> Reason:
    """Say that a session's newest review says the same already."""
    return Reason("review_given", f"reviewed as {outcome} already")


def overruled(outcome: str) -> Reason:
    """Say that a session's newest review says something else."""
    return Reason("review_overruled", f"reviewed as {outcome} until now")


def moved_on(expected: int, head: int) -> Reason:
    """Say that a session is no longer as the plan has left it."""
    return Reason(
        "version_conflict", f"has moved on: v{expected} is not its head, v{head} is"
    )
