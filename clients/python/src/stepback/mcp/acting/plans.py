"""Plans of many sessions: proposed with what would be done to each, never run."""

from __future__ import annotations

from typing import cast

from stepback import answers
from stepback.mcp.acting.approvals import object_in
from stepback.mcp.threads import UNTRUSTED, Refused, Result, Threads
from stepback.stories import PlanKind, RollbackTarget

KINDS = ("hold", "resume", "label", "rollback")
TOLD = (
    *("id", "kind", "status", "target", "incident_id", "counts", "verdicts", "digest"),
    "has_more_items",
)
# Sessions that an answer lists; people see all of them on the plan's page.
LISTED = 50


class PlanTools(Threads):
    """Plans that people confirm: no tool does."""

    async def propose_plan(
        self, kind: str, incident_id: str, q: str, target: str, label: str
    ) -> Result:
        """Plan an act on the sessions of an incident, or of a search; do nothing."""
        if kind not in KINDS:
            raise Refused(f"kind takes {', '.join(KINDS)}.")
        if bool(incident_id) == bool(q):
            raise Refused("Give either incident_id or q.")
        act, name = cast(PlanKind, kind), label or None
        said = object_in(target)
        to = cast(RollbackTarget, said) if said else None
        if incident_id:
            made = await self._client.incidents.plan(
                incident_id, act, label=name, target=to
            )
        else:
            made = await self._client.plans.make(act, q=q, label=name, target=to)
        return _told(made)


def _told(plan: answers.Plan) -> Result:
    told = {name: plan.raw[name] for name in TOLD}
    done = "Nothing is done: people look at the plan and confirm it."
    items = list(plan.items)[:LISTED]
    return told | {"items": items, "note": f"{done} {UNTRUSTED}"}
