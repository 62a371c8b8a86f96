"""Hold sessions, and resume them: each the undo of the other.

Whatever the head is, it is held: an agent that goes on writing must not escape. An undo
is bound to the version that its plan made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from apps.plans.cases import reasons
from apps.plans.cases.case import Case, Done, Reason, Sight, Task, takes_nothing
from apps.timeline import operations as timeline
from apps.timeline.operations import Receipt, Step
from apps.timeline.words import Status

LEAVES_OUT = frozenset({"session_not_found", "session_closed", "version_conflict"})


def _look(others: Mapping[str, Reason]) -> Callable[[Sight], Mapping[str, Reason]]:
    def look(sight: Sight) -> dict[str, Reason]:
        closed = {Status.CLOSED.value: reasons.CLOSED}
        return moved(sight) | sight.by_status(reasons.ENDED | closed | dict(others))

    return look


def moved(sight: Sight) -> dict[str, Reason]:
    """Return which sessions are no longer as the plan that is undone left them."""
    return {
        id: reasons.moved_on(left, session.head_number)
        for id, session in sight.sessions.items()
        if id in sight.before
        and (left := sight.before[id].result_number) is not None
        and left != session.head_number
    }


def _do(verb: Callable[..., Receipt]) -> Callable[[Task], Done | Reason]:
    def do(task: Task) -> Done:
        receipt = verb(
            act=task.act,
            session_id=task.item.session_id,
            step=Step(reasoning=task.plan.reason or None),
            expected=task.expected,
        )
        return Done(number=receipt.number)

    return do


HOLD = Case(
    kind="hold",
    title="Hold",
    asks="Hold {sessions}",
    doing="Holding {sessions}",
    did="{sessions} held",
    look=_look({Status.PAUSED.value: reasons.HELD}),
    do=_do(timeline.pause),
    read=takes_nothing,
    inverse="resume",
    leaves_out=LEAVES_OUT | {"already_paused"},
    stops=True,
)
RESUME = Case(
    kind="resume",
    title="Resume",
    asks="Resume {sessions}",
    doing="Resuming {sessions}",
    did="{sessions} resumed",
    look=_look({Status.ACTIVE.value: reasons.NOT_HELD}),
    do=_do(timeline.resume),
    read=takes_nothing,
    inverse="hold",
    leaves_out=LEAVES_OUT | {"not_paused"},
)
