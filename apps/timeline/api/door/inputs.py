"""Take plain bodies apart: the fields that the ordinary views take, of the usual types.

The serializers in `api/inputs` describe and refuse; here a body is either taken as
it is or passed on. `NotPlain` is not an answer: the ordinary view finds one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.core import json
from apps.core.json import Json, State
from apps.timeline.api.batches import OPS
from apps.timeline.api.inputs import MOST_REMOVALS
from apps.timeline.api.turns import OF_VERSIONS
from apps.timeline.bodies import bundles
from apps.timeline.hooks import used
from apps.timeline.ledger.encoding.batches import MAX_BATCH
from apps.timeline.operations import BatchItem, Exchange
from apps.timeline.versions.reading import Step
from apps.timeline.words import Op

LARGEST_NUMBER = 2**53
# The fields of every write of a state; `null` is as if a field were not sent. Of two
# names for one thing the one that most callers use is plain.
_STORY: dict[str, type] = {
    **dict.fromkeys(
        (
            *("reasoning", "trace_id", "external_id", "parent_id"),
            *("objective_status", "schema_version", "release", "model"),
        ),
        str,
    ),
    "step_number": int,
    "expected_version": int,
    **bundles.PART_SHAPES,
}
_STATE = _STORY | {"state": dict, "opaque": dict}
_UPDATE = _STATE | {"updates": dict, "remove": list}
_REPLACEMENT = _STATE
# The batch names the head, and no item one.
_BATCH = {"versions": list, "expected_version": int}
_SIDES = ("input", "output")
_TURN = _STORY | {
    "metadata": dict,
    "state_before": dict,
    "state_after": dict,
    "usage": dict,
}
PARTS = tuple(bundles.PART_SHAPES)


class NotPlain(Exception):
    """This body is not a plain one; nothing was stored."""


def parsed(body: bytes) -> dict[str, Any]:
    """Raises: NotPlain for no object; what is wrong with the JSON."""
    given = json.parse(body, max_depth=json.MAX_REQUEST_DEPTH)
    if not isinstance(given, dict):
        raise NotPlain
    return given


def update(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `operations.update` is asked for by the body of a PATCH.

    Raises: NotPlain, and what is wrong with a state.
    """
    require(given, _UPDATE)
    if all(given.get(name) is None for name in ("state", "updates", "remove", *PARTS)):
        raise NotPlain
    remove = given.get("remove") or []
    if len(remove) > MOST_REMOVALS or not all(type(one) is str for one in remove):
        raise NotPlain
    patch = {**(_state(given, "updates") or {}), **(_state(given, "state") or {})}
    return {"patch": patch, "remove": remove, **_story(given)}


def replacement(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `operations.replace` is asked for by the body of a PUT.

    Raises: NotPlain, and what is wrong with a state.
    """
    require(given, _REPLACEMENT)
    state = _state(given, "state")
    if state is None:
        raise NotPlain
    return {"state": state, **_story(given)}


def batch(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `operations.append_batch` is asked for by the body of a batch.

    Raises: NotPlain, and what is wrong with a state.
    """
    require(given, _BATCH)
    versions = given.get("versions") or ()
    # Before they are taken apart: a megabyte may name 80,000.
    if not 1 <= len(versions) <= MAX_BATCH:
        raise NotPlain
    return {"items": [_item(one) for one in versions]}


def _item(given: Any) -> BatchItem:
    if type(given) is not dict or "expected_version" in given:
        raise NotPlain
    name = given.get("op")
    if name is not None and type(name) is not str:
        raise NotPlain
    op = OPS.get(name or "update")
    asked = {field: value for field, value in given.items() if field != "op"}
    if op is Op.UPDATE:
        taken = update(asked)
        taken["state"] = taken.pop("patch")
    elif op is Op.REPLACE:
        taken = replacement(asked)
    else:
        raise NotPlain
    return BatchItem(op=op, **taken)


def turn(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `operations.add_turn` is asked for by the body of a new turn.

    Raises: NotPlain, and what is wrong with a state or with what was said.
    """
    require({k: v for k, v in given.items() if k not in _SIDES}, _TURN)
    # Whether it makes a version shows later; then the answer names what it ignored.
    if any(given.get(name) is not None for name in OF_VERSIONS):
        raise NotPlain
    return {
        "exchange": Exchange(
            **{name: _said(given.get(name)) for name in _SIDES},
            metadata=given.get("metadata"),
            state_before=_state(given, "state_before"),
            usage=used.read(given.get("usage")),
        ),
        "state_after": _state(given, "state_after"),
        **_story(given),
    }


def require(given: Mapping[str, Any], kinds: Mapping[str, type]) -> None:
    """Refuse a field that is not among these, or of another type.

    Raises: NotPlain.
    """
    for name, value in given.items():
        kind = kinds.get(name)
        if kind is None or (value is not None and type(value) is not kind):
            raise NotPlain
        if type(value) is int and not 0 <= value <= LARGEST_NUMBER:
            raise NotPlain
        if type(value) is str and not _is_plain_text(value):
            raise NotPlain


def _is_plain_text(text: str) -> bool:
    """Say whether every encoding and column takes it: no U+0000, no half of a pair."""
    if text.isascii():
        return "\0" not in text
    return not any(one == "\0" or "\ud800" <= one <= "\udfff" for one in text)


def _state(given: Mapping[str, Any], name: str) -> State | None:
    value = given.get(name)
    return None if value is None else json.check(value, at=f"/{name}")


def _said(value: Json) -> dict[str, Json]:
    if type(value) is str:
        return {"type": "text", "content": value}
    if type(value) is not dict:
        raise NotPlain
    return value


def _story(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"parts": bundles.named_parts(given), "step": _step(given)}


def _step(given: Mapping[str, Any]) -> Step:
    return Step(
        reasoning=given.get("reasoning") or None,
        trace_id=given.get("trace_id") or None,
        external_id=given.get("external_id"),
        step_number=given.get("step_number"),
        step_parent_id=given.get("parent_id"),
        objective_status=given.get("objective_status"),
        schema_version=given.get("schema_version"),
        release=given.get("release"),
        model=given.get("model"),
    )
