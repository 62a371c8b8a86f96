"""A checkpoint whose readable state the server has migrated to another schema.

The server migrates what people read: JSON. A channel that this left alone keeps its own
object; one under a new name takes the object along; one that is new or changed holds
the JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stepback.langgraph.readable import INNER, readable, text


def migrate(checkpoint: dict[str, Any], state: Mapping[str, Any]) -> None:
    """Change this very checkpoint to the channels of a migrated state."""
    values = checkpoint["channel_values"]
    named = {text(name): name for name in values if not name.startswith(INNER)}
    shown = {name: _spelled(readable(values[named[name]])) for name in named}
    gone = [name for name in named if name not in state]
    found = {name: one for name, one in values.items() if name.startswith(INNER)}
    versions = dict(checkpoint.get("channel_versions") or {})
    for name, value in state.items():
        spelled = _spelled(value)
        if shown.get(name) == spelled:
            found[named[name]] = values[named[name]]
            continue
        before = next((one for one in gone if shown[one] == spelled), None)
        found[named.get(name, name)] = (
            value if before is None else values[named[before]]
        )
        if name not in versions and versions:
            versions[name] = versions.get(before or "", max(versions.values()))
    checkpoint["channel_values"] = found
    checkpoint["channel_versions"] = versions


def _spelled(value: Any) -> str:
    """Write a value so that only the same is written so: 1 is no truth."""
    return json.dumps(value, sort_keys=True)
