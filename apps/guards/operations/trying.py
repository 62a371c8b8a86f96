"""Having a guard tried on days that are over: asked for here, done by the worker."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.guards.errors import UnacceptableGuard
from apps.guards.models import Trial
from apps.guards.operations.guarding import held
from apps.guards.words import TrialStatus

USUAL_DAYS = 7
MOST_DAYS = 90


@transaction.atomic
def try_guard(*, act: Act, guard_id: str, days: int = USUAL_DAYS) -> Trial:
    """Have the guard's rule held against what was written in the last days.

    One that waits or runs already for this revision and as many days is returned.

    Raises: GuardNotFound, UnacceptableGuard.
    """
    if not 1 <= days <= MOST_DAYS:
        raise UnacceptableGuard(f"A trial takes 1 to {MOST_DAYS} days.", param="days")
    guard = held(act, guard_id)
    waiting = Trial.objects.to_run().filter(guard=guard, revision=guard.revision)
    for known in waiting:
        if known.until - known.since == timedelta(days=days):
            return known
    trial = Trial(
        id=new_id("tria", now=act.now),
        project=act.project,
        guard=guard,
        revision=guard.revision,
        status=TrialStatus.WAITING,
        since=act.now - timedelta(days=days),
        until=act.now,
        **act.by,
    )
    trial.save(force_insert=True)
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=Action.GUARD_TRIED,
        resource_type="guard",
        resource_id=guard.id,
        act=act,
        details={
            "agent_id": guard.agent_id,
            "trial_id": trial.id,
            "revision": guard.revision,
            "days": days,
        },
    )
    return trial
