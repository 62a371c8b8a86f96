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

NO_TARGET = Reason("no_target", "no version was named to go back to")
NO_FIRST_BAD = Reason(
    "no_target", "no first bad version of it is known that it could go back before"
)
BAD_UNKNOWN = Reason("first_bad_unknown", "its first bad version is not known")
BAD_FROM_START = Reason("bad_from_start", "bad from its first version")
BAD_SET_ASIDE = Reason("no_target", "its first bad version was set aside since")
PASSES = Reason("nothing_to_roll_back", "no version of it fails the check")
ALREADY_BACK = Reason("nothing_to_roll_back", "rolled back to that version already")
DAMAGED = Reason("body_not_verified", "what is stored of it is damaged")
UNREADABLE = Reason("internal_error", "it could not be looked at")
NONE_FOUND = {
    "before": Reason("no_target", "it has no version from before that moment"),
    "release": Reason("no_target", "no live version of it is of that release"),
    "label": Reason("no_target", "no live version of it has that label"),
}

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


def held_by(label: str) -> Reason:
    """Say who holds a session by hand."""
    return Reason("held", f"held by {label}")


def crosses_gravely(owed: int) -> Reason:
    """Say that a rollback goes behind what cannot be undone, or may have happened."""
    words = (
        "1 effect outside, which cannot be undone or is not known"
        if owed == 1
        else f"{owed:,} effects outside; some cannot be undone or are not known"
    )
    return Reason("effects_unconfirmed", words)


def crosses(owed: int) -> Reason:
    """Say that a rollback goes behind effects that would have to be put right."""
    return Reason(
        "effects_crossed", f"{owed:,} effect{'' if owed == 1 else 's'} to put right"
    )


def spoken_since(turns: int) -> Reason:
    """Say that a customer has gone on speaking to the agent."""
    return Reason(
        "turns_since", f"{turns:,} later customer turn{'' if turns == 1 else 's'}"
    )
