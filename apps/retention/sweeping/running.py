"""A sweep: every enabled policy, run once; what a killed one began is gone on with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import SYSTEM
from apps.core.ids import new_id
from apps.core.provenance import unrequested
from apps.retention.counts import Counts
from apps.retention.models import Policy, Removal
from apps.retention.sweeping.stepping import take_step
from apps.retention.words import State


def never() -> bool:
    """Go on to the end."""
    return False


def sweep(*, now: datetime, is_stopping: Callable[[], bool] = never) -> int:
    """Run the enabled policies one after another; return how many steps were done.

    `is_stopping` is asked between two steps, each of which is done whole.
    """
    _end_what_was_switched_off(now)
    done = 0
    for policy_id in list(Policy.objects.enabled().values_list("id", flat=True)):
        removal_id = _begun(policy_id, now)
        while removal_id is not None and not is_stopping():
            is_more = take_step(removal_id)
            done += bool(is_more)
            if not is_more:
                if is_more is not None:
                    _finish(removal_id, now)
                break
    _end_what_was_switched_off(now)
    return done


@transaction.atomic
def _begun(policy_id: str, now: datetime) -> str | None:
    """Return the run of a policy: the one that goes on, or a new one.

    None where somebody has the policy in hand, or switched it off.
    """
    policies = Policy.objects.enabled().filter(id=policy_id)
    policy = policies.select_for_update(no_key=True, skip_locked=True).first()
    if policy is None:
        return None
    found = Removal.objects.running().of_policy(policy_id).first()
    if found is not None:
        return str(found.id)
    made = Removal.objects.create(
        id=new_id("rmvl", now=now),
        project_id=policy.project_id,
        policy=policy,
        is_preview=False,
        policy_digest=policy.digest,
        state=State.RUNNING,
        asked_by_label=SYSTEM.label,
        started_at=now,
    )
    return str(made.id)


def _end_what_was_switched_off(now: datetime) -> None:
    """End the runs of policies that were switched off in their middle."""
    left = Removal.objects.running().filter(policy__is_enabled=False)
    for removal_id in list(left.values_list("id", flat=True)):
        _finish(removal_id, now)


@transaction.atomic
def _finish(removal_id: str, now: datetime) -> None:
    """Note that a run is over and write its record; forget one that took nothing."""
    # The policy first, as a step does: two sweeps must not wait for each other.
    runs = Removal.objects.running().filter(id=removal_id)
    policies = Policy.objects.filter(id__in=runs.values("policy_id"))
    policies.select_for_update(no_key=True).first()
    run = runs.select_for_update(no_key=True).first()
    if run is None:
        return
    Policy.objects.filter(id=run.policy_id).update(swept_at=now)
    counts = Counts.of(run.counts)
    if not counts.has_taken:
        run.delete()
        return
    run.state, run.ended_at = State.DONE, now
    run.save(update_fields=["state", "ended_at"])
    audit.record_act(
        stream_id=run.project_id,
        project_id=run.project_id,
        action=Action.RETENTION_REMOVED,
        resource_type="retention_removal",
        resource_id=run.id,
        act=unrequested(SYSTEM, now),
        details={
            "policy_id": run.policy_id,
            "complete": run.is_complete,
            "counts": counts.listed(),
        },
    )
