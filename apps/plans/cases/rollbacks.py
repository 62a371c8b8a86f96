"""Roll sessions back, each to its own version, and take such rollbacks back.

The dry run is the preview of the ordinary rollback, of which only numbers are kept.
What it judges clean touches nothing but versions; where something happened outside, or
a customer has spoken since, somebody has to pick it. What is run is bound to the head
that was seen, and goes behind effects no further than was said.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import structlog
from django.db import DatabaseError

from apps.core import sql
from apps.core.actors import ActorKind
from apps.core.errors import DomainError
from apps.plans.cases import reasons
from apps.plans.cases.case import Case, Done, Outlook, Reason, Sight, Task
from apps.plans.cases.holds import moved
from apps.plans.cases.targets import common_ancestry, find_target, read_rule
from apps.plans.models import ItemState, Verdict
from apps.timeline import operations as timeline
from apps.timeline.bisect import Ancestry
from apps.timeline.models import Session
from apps.timeline.operations import Expected, Step
from apps.timeline.queries import CorruptBody, Preview, preview_rollback
from apps.timeline.words import Crossing, Status

KIND = "rollback"
# Somebody may wait for it, and a lock is held: one alone may take a look for a check
# into thousands of states.
JUDGING_SECONDS = 5.0
REFUSES = frozenset(
    {
        *("session_not_found", "session_closed", "version_conflict"),
        *("version_not_found", "nothing_to_roll_back", "version_pruned"),
        *("contents_erased", "body_not_verified", "no_rollback"),
        *("effects_crossed", "effects_unconfirmed"),
    }
)
# Who holds a session: who wrote the first of the versions since which it is held.
_HOLDER = sql.of_session("""
SELECT v.actor_kind, v.actor_id, v.actor_label, v.request_key
  FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number > coalesce(
       (SELECT o.number FROM timeline_version o
         WHERE o.session_id = %(session)s AND o.hold <> 'paused'
         ORDER BY o.number DESC LIMIT 1), -1)
 ORDER BY v.number LIMIT 1
""")

log = structlog.get_logger("stepback.plans")


def _judge(sight: Sight) -> dict[str, Outlook]:
    """Judge sessions that are there, as many as there is time for, or one.

    One that cannot be read is blocked.
    """
    closed = {Status.CLOSED.value: reasons.CLOSED}
    ended = sight.by_status(reasons.ENDED | closed)
    left = [id for id in sight.sessions if id not in ended]
    ancestry = common_ancestry(sight, left)
    found = {id: _blocked(why) for id, why in ended.items()}
    until = time.monotonic() + JUDGING_SECONDS
    for id in left:
        found[id] = _judged(sight, sight.sessions[id], ancestry)
        if time.monotonic() > until:
            break
    return found


def _judged(sight: Sight, session: Session, ancestry: Ancestry | None) -> Outlook:
    holder = _held_by(sight, session)
    if holder is not None:
        return _blocked(reasons.held_by(holder))
    try:
        return _previewed(sight, session, ancestry)
    except DomainError as error:
        return _blocked(Reason(error.code, error.message))
    except CorruptBody:
        return _blocked(reasons.DAMAGED)
    except DatabaseError:
        # What was begun is lost with it: the whole step is taken up again.
        raise
    except Exception:
        # What is wrong with one must not hold up the rest.
        log.exception("a dry run failed", session=session.id)
        return _blocked(reasons.UNREADABLE)


def _previewed(sight: Sight, session: Session, ancestry: Ancestry | None) -> Outlook:
    target = find_target(sight, session, ancestry)
    if isinstance(target, Reason):
        return _blocked(target)
    preview = preview_rollback(sight.act.scope, session.id, target, now=sight.act.now)
    if preview.head.restored_number == target:
        return _blocked(reasons.ALREADY_BACK, target=target)
    about = _counted(preview)
    why = _why_look(about)
    return Outlook(
        verdict=Verdict.CLEAN if why is None else Verdict.LOOK,
        target=target,
        reason=why,
        about=about | {"head": preview.head.number},
    )


def _counted(preview: Preview) -> dict[str, int]:
    """Return what changes and what stays outside, in numbers alone."""
    return {
        "changes": len(preview.comparison),
        "set_aside": preview.n_set_aside,
        "turns": preview.n_turns,
        # The first is the one that led to what is set aside.
        "later_turns": max(0, preview.n_heard - 1),
        "effects": preview.effects.count,
        "owed": preview.effects.n_owed,
        "grave": int(preview.effects.is_grave),
        "forks": len(preview.forks),
        "labels": len(preview.labels),
    }


def _why_look(about: Mapping[str, int]) -> Reason | None:
    if about["grave"]:
        return reasons.crosses_gravely(about["owed"])
    if about["owed"]:
        return reasons.crosses(about["owed"])
    return reasons.spoken_since(about["later_turns"]) if about["later_turns"] else None


def _blocked(reason: Reason, *, target: int | None = None) -> Outlook:
    return Outlook(verdict=Verdict.BLOCKED, reason=reason, target=target)


def _held_by(sight: Sight, session: Session) -> str | None:
    """Return the person who holds a session by hand; who plans may do that.

    A plan holds many at once so that they can be rolled back: that keeps nobody.
    """
    if sight.status(session) != Status.PAUSED.value:
        return None
    found = sql.rows(_HOLDER, {"session": session.id})
    for row in found:
        is_other = row.actor_id != sight.act.actor.id
        is_by_hand = not (row.request_key or "").startswith("plan:")
        if row.actor_kind == ActorKind.USER and is_other and is_by_hand:
            return str(row.actor_label)
    return None


def _roll_back(task: Task) -> Done:
    """Do what the dry run showed, to the head that it saw."""
    item = task.item
    is_clean = item.verdict == Verdict.CLEAN
    receipt = timeline.rollback(
        act=task.act,
        session_id=item.session_id,
        to=item.target or 0,
        step=Step(reasoning=task.plan.reason or None),
        crossing=Crossing.NOTHING_OWED if is_clean else _crossing(task),
        expected=Expected(number=item.number),
    )
    return Done(number=receipt.number)


def _look_back(sight: Sight) -> dict[str, Reason]:
    closed = {Status.CLOSED.value: reasons.CLOSED}
    return moved(sight) | sight.by_status(reasons.ENDED | closed)


def _take_back(task: Task) -> Done:
    receipt = timeline.undo(
        act=task.act,
        session_id=task.item.session_id,
        number=task.item.number or 0,
        step=Step(reasoning=task.plan.reason or None),
        crossing=_crossing(task),
        expected=Expected(number=task.item.number),
    )
    return Done(number=receipt.number)


def _crossing(task: Task) -> Crossing:
    return Crossing.ANYTHING if task.plan.crosses else Crossing.NOTHING_GRAVE


ROLLBACK = Case(
    kind=KIND,
    title="Roll back",
    asks="Roll back {sessions}",
    doing="Rolling back {sessions}",
    did="{sessions} rolled back",
    look=lambda sight: {},
    do=_roll_back,
    read=read_rule,
    inverse="unrollback",
    leaves_out=REFUSES,
    stops=True,
    judge=_judge,
    refused_as=ItemState.REFUSED,
)
# Of a rollback, and of an undo of one: each is a rollback that is taken back.
UNROLLBACK = Case(
    kind="unrollback",
    title="Undo the rollback",
    asks="Undo the rollback of {sessions}",
    doing="Undoing the rollback of {sessions}",
    did="The rollback of {sessions} undone",
    look=_look_back,
    do=_take_back,
    read=read_rule,
    inverse="unrollback",
    leaves_out=REFUSES,
    refused_as=ItemState.REFUSED,
)
