"""The named parts of a checkpoint, as callers give them and get them back.

`state` is always there. The others are JSON, each with the shape its name promises;
a write names the parts it changes, all others are carried over from the head.
"""

from __future__ import annotations

from collections.abc import Mapping

from apps.core import json
from apps.core.errors import InvalidRequest, PayloadTooLarge
from apps.core.json import Json, State
from apps.timeline.bodies import Part

JSON = "application/json"
SHAPES: dict[str, type[list[Json]] | type[dict[str, Json]]] = {
    "messages": list,
    "tool_results": dict,
    "model_params": dict,
    "tasks": list,
    "artifacts": list,
}
MAX_BUNDLE_BYTES = 32 * 1024 * 1024


def named(given: Mapping[str, Json]) -> tuple[Part, ...]:
    """Return the parts among `given` that are named and not null.

    Raises: InvalidRequest for a wrong shape; UnacceptableJson, PayloadTooLarge.
    """
    found = []
    for name, shape in SHAPES.items():
        value = given.get(name)
        if value is None:
            continue
        if not isinstance(value, shape):
            raise InvalidRequest(
                f"{name} must be {'a list' if shape is list else 'an object'}.",
                param=name,
            )
        # Checked as a state is: the wrapper makes a list an object, one level deep.
        json.check({name: value})
        found.append(Part(name, JSON, json.dumps(value)))
    return tuple(found)


def assembled(
    state: State, *, carried: tuple[Part, ...] = (), given: tuple[Part, ...] = ()
) -> tuple[Part, ...]:
    """Return the whole bundle: this state, the given parts, the rest as it was.

    Raises: UnacceptableJson, PayloadTooLarge.
    """
    parts = {part.name: part for part in carried}
    parts["state"] = Part("state", JSON, json.state_bytes(state, at="/state"))
    parts.update({part.name: part for part in given})
    if sum(len(part.data) for part in parts.values()) > MAX_BUNDLE_BYTES:
        raise PayloadTooLarge(
            f"All parts together may have {MAX_BUNDLE_BYTES} bytes.",
            limit=MAX_BUNDLE_BYTES,
        )
    return tuple(parts.values())
