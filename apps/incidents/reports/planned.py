"""What was planned for the sessions of an incident, and what came of it.

Counts are of the items as they stand, so a plan that runs is told as far as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from apps.agents.acts import Act
from apps.incidents.models import Incident
from apps.plans.cases import CASES
from apps.plans.models import ItemState, Plan, PlanStatus

# Plans that a report tells of: the newest.
MOST_PLANS = 20
_STANDS = {
    PlanStatus.LOOKING: "still looked at",
    PlanStatus.DRAFT: "not confirmed",
    PlanStatus.RUNNING: "under way",
    PlanStatus.PAUSED: "paused",
    PlanStatus.FINISHED: "over",
}
_CAME_TO = {
    ItemState.UNSEEN: "not looked at",
    ItemState.PLANNED: "to be done",
    ItemState.UNPICKED: "not picked",
    ItemState.LEFT_OUT: "left out",
    ItemState.DONE: "done",
    ItemState.MOVED: "had moved on",
    ItemState.REFUSED: "refused",
    ItemState.FAILED: "failed",
    ItemState.STOPPED: "stopped",
    ItemState.UNDONE: "undone",
}


def plans_for(incident: Incident, act: Act, *, most: int) -> Sequence[Plan]:
    """Return the newest plans that whoever asks may see, with their counts."""
    mine = Plan.objects.visible_to(act.actor, act.scope).of_incident(incident.id)
    return mine.newest_counted(most)


def told(plan: Plan, at: str, text: Callable[[str], str]) -> str:
    """Tell of one plan: when, what, by whom, how far, and what came of its sessions."""
    counts = {state: int(getattr(plan, f"n_{state}")) for state in ItemState}
    came = ", ".join(f"{n:,} {_CAME_TO[state]}" for state, n in counts.items() if n)
    return (
        f"{at}: {CASES[plan.kind].title.lower()}, planned by"
        f" {text(plan.made_by_label)}; {_STANDS[PlanStatus(plan.status)]}"
        f"{': ' if came else ''}{came}."
    )


def is_open(plan: Plan) -> bool:
    """Say whether something is still to be done, or could be."""
    return plan.status != PlanStatus.FINISHED or bool(getattr(plan, "n_failed", 0))
