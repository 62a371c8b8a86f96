"""The sweep of the worker: do what is confirmed, item by item.

Each item is one transaction: its row is locked, the ordinary operation is run, what
came of it is noted. So one that was killed in the middle has done nothing, and the next
sweep does it; two workers pass each other's items by; and nothing is done twice. Ten
are looked up at once; whether one still waits, and the plan still runs, is asked again
under its lock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.utils import timezone

from apps.core.database.troubles import is_in_trouble
from apps.core.errors import DomainError
from apps.plans import authority
from apps.plans.cases import CASES, Case, Done, Reason, Task, reasons
from apps.plans.models import Item, ItemState, Plan, PlanStatus

# How long one sweep goes on; the next takes up what is left.
SWEEP_SECONDS = 20.0
CLAIMED = 10
MINUTE = timedelta(minutes=1)
BROKEN = Reason("internal_error", "something went wrong on our side; try again")
Clock = Callable[[], datetime]

log = structlog.get_logger("stepback.plans")


def sweep(*, now: datetime, clock: Clock = timezone.now) -> int:
    """Do what waits in confirmed plans, the oldest first; return how many items."""
    began, done = time.monotonic(), 0
    for plan in Plan.objects.running().select_related("project", "undo_of"):
        while claimed := claim(plan, now=clock()):
            came = 0
            for session_id in claimed:
                came += run_item(plan, session_id, clock=clock)
                if time.monotonic() - began > SWEEP_SECONDS:
                    return done + came
            done += came
            if not came:
                # All are in others' hands, or the plan was paused or stopped.
                break
        finish(plan.id, now=clock())
    return done


def claim(plan: Plan, *, now: datetime) -> list[str]:
    """Return the sessions that are next, as many as the plan's pace allows now."""
    mine, most = Item.objects.of_plan(plan.id), CLAIMED
    # Somebody may have set it since this sweep began.
    pace = Plan.objects.pace_of(plan.id)
    if pace is not None:
        most = min(most, max(0, pace - mine.settled_since(now - MINUTE)))
    return mine.next_planned(most)


def run_item(plan: Plan, session_id: str, *, clock: Clock) -> bool:
    """Do one item, unless it no longer waits or another has it in hand; whether so."""
    held: Item | None = None
    try:
        with transaction.atomic():
            held = Item.objects.of_plan(plan.id).held_planned(session_id)
            if held is None:
                return False
            _settle(held, _outcome(plan, held, now=clock()))
    except Exception as error:
        # The database is gone or in need: the item is not what went wrong, and waits.
        if is_in_trouble(error) or held is None:
            raise
        # Nothing of it was stored, and what is wrong with it must not hold up the rest.
        log.exception("an item of a plan failed", plan=plan.id, session=session_id)
        waiting = Item.objects.of_plan(plan.id).in_state(ItemState.PLANNED)
        waiting.filter(session_id=session_id).update(
            state=ItemState.FAILED, code=BROKEN.code, words=BROKEN.words
        )
    return True


@transaction.atomic
def finish(plan_id: str, *, now: datetime) -> None:
    """Note that a plan is over, unless another worker has an item of it in hand."""
    plan = Plan.objects.running().select_for_update(no_key=True).filter(id=plan_id)
    held = plan.first()
    waiting = Item.objects.of_plan(plan_id).in_state(ItemState.PLANNED)
    if held is None or waiting.exists():
        return
    held.status, held.finished_at = PlanStatus.FINISHED, now
    held.save(update_fields=["status", "finished_at"])


def _outcome(
    plan: Plan, item: Item, *, now: datetime
) -> tuple[ItemState, Reason | Done, datetime]:
    case = CASES[plan.kind]
    try:
        # Each operation takes back what it has written where it refuses; the item stays
        # held. A savepoint of our own would be a tenth of the statements.
        act = authority.act_for(plan, item, now=now)
        before = _before(plan, item)
        came = case.do(Task(act=act, plan=plan, item=item, before=before))
        if before is not None and isinstance(came, Done):
            _note_undone(before)
    except DomainError as error:
        return _refused(case, error), _reason(case, item, error), now
    state = ItemState.DONE if isinstance(came, Done) else ItemState.LEFT_OUT
    return state, came, now


def _before(plan: Plan, item: Item) -> Item | None:
    if plan.undo_of_id is None:
        return None
    return Item.objects.of_plan(plan.undo_of_id).get(session_id=item.session_id)


def _note_undone(before: Item) -> None:
    """Let the plan before say that this is no longer as it has left it."""
    done = Item.objects.of_plan(before.plan_id).in_state(ItemState.DONE)
    done.filter(session_id=before.session_id).update(state=ItemState.UNDONE)


def _refused(case: Case, error: DomainError) -> ItemState:
    if error.code not in case.leaves_out:
        return ItemState.FAILED
    return ItemState.MOVED if error.code == "version_conflict" else case.refused_as


def _reason(case: Case, item: Item, error: DomainError) -> Reason:
    if error.code not in case.leaves_out:
        return Reason(error.code, error.message)
    if error.code == "version_conflict":
        head = int(error.details.get("head", item.number or 0))
        return reasons.moved_on(item.number or 0, head)
    return reasons.MEANWHILE.get(error.code, Reason(error.code, error.message))


def _settle(item: Item, outcome: tuple[ItemState, Reason | Done, datetime]) -> None:
    state, came, now = outcome
    item.state, item.done_at = state, now
    if isinstance(came, Done):
        item.code = item.words = ""
        item.result_number, item.size = came.number, came.size
    else:
        item.code, item.words = came.code, came.words
    item.save(
        update_fields=["state", "code", "words", "result_number", "size", "done_at"]
    )
