"""Label the heads of sessions, and take such labels away again.

A label is given to the version that the dry run saw. What takes it away looks whether
it is the one that the plan gave: one that somebody gave anew since stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.core import sql
from apps.core.errors import InvalidRequest
from apps.plans.cases import reasons
from apps.plans.cases.case import Case, Done, Reason, Sight, Task
from apps.timeline import operations as timeline
from apps.timeline.models import Label
from apps.timeline.operations import MAX_LABEL

_ON_HEADS = sql.across("""
SELECT l.session_id FROM timeline_label l
  JOIN timeline_session s ON s.id = l.session_id
 WHERE l.session_id = ANY (%(sessions)s::varchar[]) AND l.name = %(name)s
   AND l.number = s.head_number
 LIMIT %(limit)s
""")
_GIVEN = sql.across("""
SELECT l.session_id, l.number, l.created_at FROM timeline_label l
 WHERE l.session_id = ANY (%(sessions)s::varchar[]) AND l.name = %(name)s
   AND l.number = ANY (%(numbers)s::bigint[])
 LIMIT %(limit)s
""")


def _read(given: Mapping[str, Any]) -> dict[str, Any]:
    name = str(given.get("label") or "").strip()
    if not name:
        raise InvalidRequest("Name the label.", param="label")
    if len(name) > MAX_LABEL or not name.isprintable():
        raise InvalidRequest(
            f"A label is printable text of at most {MAX_LABEL} characters.",
            param="label",
        )
    return {"label": name}


def _look(sight: Sight) -> dict[str, Reason]:
    """Leave out whose head has the label; of an undo, whose version has it."""
    labelled = dict.fromkeys(_labelled(sight), reasons.LABELLED)
    return labelled | sight.by_status(reasons.ENDED)


def _labelled(sight: Sight) -> list[str]:
    if sight.before:
        return [id for id, _ in _given(sight)]
    known = list(sight.sessions)
    asked = {"sessions": known, "name": sight.params["label"], "limit": len(known)}
    return [row.session_id for row in sql.rows(_ON_HEADS, asked)] if known else []


def _look_back(sight: Sight) -> dict[str, Reason]:
    given = _given(sight)
    changed = {
        id: reasons.UNLABELLED
        if (id, item.result_number) not in given
        else reasons.LABELLED_ANEW
        for id, item in sight.before.items()
        if id in sight.sessions and given.get((id, item.result_number)) != item.done_at
    }
    return changed | sight.by_status(reasons.ENDED)


def _given(sight: Sight) -> dict[tuple[str, int | None], Any]:
    """Return when the labels were given that are where the plan gave or took them."""
    meant = {
        (id, item.result_number)
        for id, item in sight.before.items()
        if id in sight.sessions
    }
    numbers = sorted({number for _, number in meant if number is not None})
    asked = {
        "sessions": list(sight.sessions),
        "name": sight.params["label"],
        "numbers": numbers,
        "limit": len(sight.sessions) * len(numbers),
    }
    found = sql.rows(_GIVEN, asked) if meant else []
    given = {(row.session_id, row.number): row.created_at for row in found}
    return {place: at for place, at in given.items() if place in meant}


def _give(task: Task) -> Done | Reason:
    number = task.item.number or 0
    given = timeline.label(
        act=task.act,
        session_id=task.item.session_id,
        number=number,
        name=task.plan.params["label"],
    )
    if given.created_at != task.act.now or given.actor_id != task.act.actor.id:
        return reasons.LABELLED
    return Done(number=number)


def _take(task: Task) -> Done | Reason:
    number, name = task.item.number or 0, task.plan.params["label"]
    labels = Label.objects.of_session(task.item.session_id)
    given = labels.filter(name=name, number=number).first()
    at = None if task.before is None else task.before.done_at
    if given is not None and given.created_at != at:
        return reasons.LABELLED_ANEW
    timeline.unlabel(
        act=task.act, session_id=task.item.session_id, number=number, name=name
    )
    return Done(number=number)


LABEL = Case(
    kind="label",
    title="Label",
    asks="Label {sessions} “{label}”",
    doing="Labelling {sessions} “{label}”",
    did="{sessions} labelled “{label}”",
    look=_look,
    do=_give,
    read=_read,
    inverse="unlabel",
    leaves_out=frozenset({"session_not_found"}),
)
# Only the undo of a plan that gave labels: which versions are meant, that plan knows.
UNLABEL = Case(
    kind="unlabel",
    title="Remove the label",
    asks="Take the label “{label}” from {sessions}",
    doing="Taking the label “{label}” from {sessions}",
    did="the label “{label}” taken from {sessions}",
    look=_look_back,
    do=_take,
    read=_read,
    inverse="label",
    leaves_out=frozenset({"session_not_found", "label_not_found"}),
)
