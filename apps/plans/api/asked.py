"""What an act takes beside its sessions, as it is asked for over REST."""

from __future__ import annotations

from typing import Any

from apps.core.errors import InvalidRequest
from apps.plans.api.serializers import TargetInput

# What is for one kind alone.
PARAMS = {
    "label": "label",
    "outcome": "review",
    "to_schema": "migrate",
    "from_schema": "migrate",
    "target": "rollback",
}
PLAIN = ("label", "outcome", "to_schema", "from_schema")


def params_of(said: dict[str, Any]) -> dict[str, Any]:
    """Return what the act takes beside its sessions.

    Raises: InvalidRequest for what an act of this kind does not take.
    """
    for name in PARAMS:
        if said.get(name) is not None and PARAMS[name] != said["kind"]:
            raise InvalidRequest(
                f"{name} is for the kind {PARAMS[name]} alone.", param=name
            )
    params = {name: said.get(name) for name in PLAIN}
    target = said.get("target")
    return params if target is None else params | TargetInput.params(target)


def targets_of(said: dict[str, Any]) -> dict[str, int]:
    """Return the versions that are asked for by hand."""
    versions: dict[str, int] | None = (said.get("target") or {}).get("versions")
    return versions or {}
