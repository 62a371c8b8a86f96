"""Making a plan: a frozen list of sessions, each looked at; and the plan of an undo."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.plans.cases import CASES, Case, case_of
from apps.plans.errors import NothingToUndo, PlanRunning
from apps.plans.models import Item, ItemState, Plan, PlanStatus
from apps.plans.operations.looking import digest_of, look_at
from apps.plans.operations.recording import record

# Sessions of one plan that are named or found by a search; of an incident it may be
# all that it has.
MOST = 500
MOST_OF_INCIDENT = 50_000
# Sessions that are looked at while somebody waits; the worker looks at longer lists.
# Each that is judged takes a preview.
LOOKED_AT, JUDGED = 500, 25
_SESSION_ID = re.compile(r"sess_[0-9a-z]{26}", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Picked:
    """Which sessions are meant: picked by hand, or the first that a search found.

    `has_more`: the search may find more than are listed. `targets` are the versions
    that are asked for by hand. Those of an incident may be more than others.
    """

    session_ids: Sequence[str]
    query: str | None = None
    has_more: bool = False
    targets: Mapping[str, int] = field(default_factory=dict)
    incident_id: str | None = None

    @property
    def most(self) -> int:
        return MOST if self.incident_id is None else MOST_OF_INCIDENT


@transaction.atomic
def make(
    *, act: Act, kind: str, picked: Picked, params: Mapping[str, Any] | None = None
) -> Plan:
    """Freeze the list, look at each session and say what is left out; do nothing yet.

    At a long list the worker looks, or on where that takes long: until it has, the plan
    can only be read.

    Raises: InvalidRequest for an unknown kind, a parameter that does not fit, no
    session, or too many.
    """
    case = case_of(kind)
    read = case.read(params or {})
    ids = _valid(picked.session_ids, picked.most)
    if not set(picked.targets) <= set(ids):
        raise InvalidRequest(
            "versions names a session that is not in the plan.", param="versions"
        )
    about = {"query": picked.query, "has_more": picked.has_more}
    plan = _made(act, case, read, **about, incident_id=picked.incident_id)
    _freeze(act, plan, ids, picked.targets)
    return plan


@transaction.atomic
def undo(*, act: Act, plan_id: str) -> Plan:
    """Make the plan that takes back what a plan has done, where that still stands.

    Raises: PlanNotFound, PlanRunning, NothingToUndo.
    """
    before = Plan.objects.visible_to(act.actor, act.scope).one(plan_id)
    if before.is_running or before.is_paused:
        raise PlanRunning
    inverse = CASES[before.kind].inverse
    done = Item.objects.of_plan(before.id).in_state(ItemState.DONE).in_order()
    ids = list(done.values_list("session_id", flat=True))
    if inverse is None or not before.is_finished or not ids:
        raise NothingToUndo
    about = {"undo_of": before, "incident_id": before.incident_id}
    plan = _made(act, CASES[inverse], before.params, **about)
    _freeze(act, plan, ids, {})
    return plan


def _valid(session_ids: Sequence[str], most: int) -> list[str]:
    ids = list(dict.fromkeys(session_ids))
    if not ids:
        raise InvalidRequest("Pick at least one session.", param="sessions")
    if len(ids) > most:
        raise InvalidRequest(
            f"A plan has at most {most} sessions; these are {len(ids):,}.",
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
        status=PlanStatus.LOOKING,
        made_by_kind=act.actor.kind.value,
        made_by_id=act.actor.id,
        made_by_label=act.actor.label,
        created_at=act.now,
        **about,
    )


def _freeze(
    act: Act, plan: Plan, session_ids: Sequence[str], targets: Mapping[str, int]
) -> None:
    """Write the items, and the record of the plan with a digest of its list."""
    items = [
        Item(
            plan=plan,
            session_id=id,
            position=position,
            state=ItemState.UNSEEN,
            target=targets.get(id),
        )
        for position, id in enumerate(session_ids)
    ]
    is_judged = CASES[plan.kind].judge is not None
    is_short = len(items) <= (JUDGED if is_judged else LOOKED_AT)
    if is_short:
        look_at(act, plan, items)
    Item.objects.bulk_create(items, batch_size=1_000)
    is_over = all(one.state != ItemState.UNSEEN for one in items)
    if is_over:
        plan.status, plan.digest = PlanStatus.DRAFT, digest_of(plan.id)
        plan.save(update_fields=["status", "digest"])
    listed = hashlib.sha256("\n".join(session_ids).encode()).hexdigest()
    details: dict[str, Any] = {"sessions": len(items), "sessions_sha256": listed}
    if is_over:
        details["left_out"] = sum(one.state == ItemState.LEFT_OUT for one in items)
    undone = {"undo_of": plan.undo_of_id} if plan.undo_of_id else {}
    record(Action.PLAN_MADE, plan, act, details | undone)
