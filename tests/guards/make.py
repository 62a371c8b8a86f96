"""Guards of the agent `travel`, made and tried as administrators do it."""

from typing import Any

from django.utils import timezone

from apps.agents import remembered
from apps.guards import trying
from apps.guards.live import standing
from tests.timeline.runs import succeeded

# The guide's trip, and what its corruption left of it.
TRIP = {
    "destination": "Lisbon",
    "dates": {"from": "2026-05-01", "to": "2026-05-08"},
    "budget": 1500,
}
CORRUPTED = {"destination": None, "dates": None, "budget": 1500}


def forget() -> None:
    """Have this process look anew: within a test nothing is ever committed."""
    with remembered._lock:
        remembered._known.clear()
    with standing._lock:
        standing._known.clear()


def guard(
    admin: Any, kind: str = "null_spree", mode: str = "observe", **rule: Any
) -> Any:
    """Make a guard; one that does more than observe is tried first."""
    name = rule.pop("name", kind)
    body = {"agent_id": "travel", "name": name, "kind": kind, "rule": rule}
    made = succeeded(admin.post("/v1/guards", body)).body
    if mode != "observe":
        tried(admin, made["id"])
        path = f"/v1/guards/{made['id']}"
        made = succeeded(admin.send("PATCH", path, {"mode": mode})).body
    forget()
    return made


def tried(admin: Any, guard_id: str, **said: Any) -> Any:
    """Try a guard to the end; return what its trial says."""
    trial = succeeded(admin.post(f"/v1/guards/{guard_id}/try", said)).body
    trying.sweep(now=timezone.now())
    return succeeded(admin.get(f"/v1/guards/{guard_id}/try/{trial['id']}")).body


def verdicts(run: Any) -> list[Any]:
    return [
        (one["version"], one["kind"], one["outcome"], one["did"])
        for one in run.get("verdicts", limit=100)["data"]
    ]
