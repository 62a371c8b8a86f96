"""Three versions of the schema of a trip, and the migrations between them."""

from __future__ import annotations

from typing import Any

from tests.timeline.runs import succeeded

AGENT = "/v1/agents/travel"
FIRST = {"dest": "Berlin", "days": "3", "kind": 1, "legs": [{"km": "550"}]}
SECOND = {"destination": "Berlin", "days": 3, "kind": 1, "legs": [{"km": 550}]}
THIRD = {
    "plan": {"destination": "Berlin", "days": 3},
    "kind": "rail",
    "legs": [{"km": 550, "paid": False}],
}
TO_SECOND = [
    {"op": "rename", "at": "/dest", "to": "destination"},
    {"op": "convert", "at": "/days", "to": "integer"},
    {
        "op": "each",
        "at": "/legs",
        "steps": [{"op": "convert", "at": "/km", "to": "integer"}],
    },
]
TO_THIRD = [
    {"op": "move", "at": "/destination", "to": "/plan/destination"},
    {"op": "move", "at": "/days", "to": "/plan/days"},
    {"op": "map", "at": "/kind", "values": [{"from": 1, "to": "rail"}]},
    {"op": "remove", "at": "/notes"},
    {
        "op": "each",
        "at": "/legs",
        "steps": [{"op": "default", "at": "/paid", "value": False}],
    },
]
SCHEMAS = {
    "1.0.0": {"type": "object"},
    "2.0.0": {
        "type": "object",
        "properties": {"days": {"type": "integer", "minimum": 1}},
        "required": ["destination", "days"],
    },
    "3.0.0": {"type": "object", "required": ["plan"]},
}


def declare(admin: Any, version: str, schema: Any = None, **fields: Any) -> Any:
    """Return a schema, declared."""
    body = {"version": version, "schema": schema or {"type": "object"}, **fields}
    return succeeded(admin.post(f"{AGENT}/schemas", body)).body


def lead(admin: Any, before: str, after: str, steps: Any) -> Any:
    """Return a migration, declared."""
    body = {"from": before, "to": after, "steps": steps}
    return succeeded(admin.post(f"{AGENT}/migrations", body)).body


def three(admin: Any, **fields: Any) -> dict[str, Any]:
    """Declare three versions and the two ways; `fields` are of the newest."""
    for version, schema in SCHEMAS.items():
        more = fields if version == "3.0.0" else {}
        declare(admin, version, schema, **more)
    return {
        "2.0.0": lead(admin, "1.0.0", "2.0.0", TO_SECOND),
        "3.0.0": lead(admin, "2.0.0", "3.0.0", TO_THIRD),
    }
