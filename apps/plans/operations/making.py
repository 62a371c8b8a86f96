"""Making a plan: a frozen list of sessions, each looked at; and the plan of an undo."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.plans.cases import CASES, Case, case_of
from apps.plans.errors import NothingToUndo
from apps.plans.models import Item, ItemState, Plan
from apps.plans.operations.looking import DryRun, dry_run
from apps.plans.operations.recording import record

# Sessions of one plan.
MOST = 500
_SESSION_ID = re.compile(r"sess_[0-9a-z]{26}", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Picked:
    """Which sessions are meant: picked by hand, or the first that a search found.

    `has_more`: the search may find more than are listed.
    """

    session_ids: Sequence[str]
    query: str | None = None
    has_more: bool = False


@transaction.atomic
def make(
    *, act: Act, kind: str, picked: Picked, params: Mapping[str, Any] | None = None
) -> Plan:
    """Freeze the list, look at each session and say what is left out; do nothing yet.

    Raises: InvalidRequest for an unknown kind, a parameter that does not fit, no
    session, or too many.
    """
    case = case_of(kind)
    read = case.read(params or {})
    ids = _valid(picked.session_ids)
    plan = _made(act, case, read, query=picked.query, has_more=picked.has_more)
    seen = dry_run(act, case, read, ids, {})
    _freeze(act, plan, ids, seen, seen.heads)
    return plan


@transaction.atomic
def undo(*, act: Act, plan_id: str) -> Plan:
    """Make the plan that takes back what a plan has done, where that still stands.

    Raises: PlanNotFound, NothingToUndo.
    """
    before = Plan.objects.visible_to(act.actor, act.scope).one(plan_id)
    inverse = CASES[before.kind].inverse
    done = Item.objects.of_plan(before.id).in_state(ItemState.DONE).in_order()
    items = {item.session_id: item for item in done}
    if inverse is None or not before.is_finished or not items:
        raise NothingToUndo
    case = CASES[inverse]
    plan = _made(act, case, before.params, undo_of=before)
    seen = dry_run(act, case, plan.params, list(items), items)
    left = {id: item.result_number for id, item in items.items()}
    _freeze(act, plan, list(items), seen, left)
    return plan


def _valid(session_ids: Sequence[str]) -> list[str]:
    ids = list(dict.fromkeys(session_ids))
    if not ids:
        raise InvalidRequest("Pick at least one session.", param="sessions")
    if len(ids) > MOST:
        raise InvalidRequest(
            f"A plan has at most {MOST} sessions; these are {len(ids):,}.",
            param="sessions",
        )
    for place, one in enumerate(ids):
        if not _SESSION_ID.fullmatch(one):
            raise InvalidRequest(
                f"sessions takes ids of sessions; item {place} is none.",
                param="sessions",
            )
    return ids


def _made(act: Act, case: Case, params: dict[str, Any], **about: Any) -> Plan:
    return Plan.objects.create(
        id=new_id("plan", now=act.now),
        project=act.project,
        kind=case.kind,
        params=params,
        made_by_kind=act.actor.kind.value,
        made_by_id=act.actor.id,
        made_by_label=act.actor.label,
        created_at=act.now,
        **about,
    )


def _freeze(
    act: Act,
    plan: Plan,
    session_ids: Sequence[str],
    seen: DryRun,
    numbers: Mapping[str, int | None],
) -> None:
    """Write the items, and the record of the plan with a digest of its list."""
    Item.objects.bulk_create(
        [
            _item(plan, position, id, seen, numbers.get(id))
            for position, id in enumerate(session_ids)
        ]
    )
    listed = hashlib.sha256("\n".join(session_ids).encode()).hexdigest()
    details = {
        "sessions": len(session_ids),
        "left_out": len(seen.left_out),
        "sessions_sha256": listed,
    }
    undone = {"undo_of": plan.undo_of_id} if plan.undo_of_id else {}
    record(Action.PLAN_MADE, plan, act, details | undone)


def _item(
    plan: Plan, position: int, session_id: str, seen: DryRun, number: int | None
) -> Item:
    left_out = seen.left_out.get(session_id)
    reason = left_out or seen.noticed.get(session_id)
    return Item(
        plan=plan,
        session_id=session_id,
        position=position,
        state=ItemState.PLANNED if left_out is None else ItemState.LEFT_OUT,
        code="" if reason is None else reason.code,
        words="" if reason is None else reason.words,
        number=number,
    )
