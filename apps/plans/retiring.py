"""The sweep of drafts: remove plans that nobody has confirmed for a week.

Nothing was done by them, and they are no history: that each was made, with a digest of
its list, and that it was dropped, the project's chained record keeps.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.audit.actions import Action
from apps.core.actors import SYSTEM
from apps.core.ids import new_id
from apps.core.provenance import Request
from apps.plans.models import DRAFT_LIVES, Item, Plan
from apps.plans.operations.recording import record

# Plans of one sweep, each in a transaction of its own; the next finds what is left.
AT_ONCE = 200


def sweep(*, now: datetime) -> int:
    """Remove drafts that are too old, the oldest first; return how many."""
    old = Plan.objects.drafts_from_before(now - DRAFT_LIVES).order_by("created_at")
    ids = list(old.values_list("id", flat=True)[:AT_ONCE])
    return sum(_drop(id, now=now) for id in ids)


@transaction.atomic
def _drop(id: str, *, now: datetime) -> bool:
    """Remove one, unless somebody confirms or removes it at this moment."""
    old = Plan.objects.drafts_from_before(now - DRAFT_LIVES).select_related("project")
    held = old.select_for_update(skip_locked=True, of=("self",)).filter(id=id).first()
    if held is None:
        return False
    request = Request(id=new_id("req", now=now))
    act = Act(scope=Scope(held.project), actor=SYSTEM, now=now, request=request)
    count, _ = Item.objects.of_plan(held.id).delete()
    record(Action.PLAN_DROPPED, held, act, {"sessions": count})
    Plan.objects.filter(id=held.id).delete()
    return True
