"""What a tool returned, kept with its effect, and given back when it is asked again."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol

from stepback.answers import EffectBegin
from stepback.failures import StepbackError
from stepback.langgraph.readable import readable

# Of one result, as the server keeps it; and for what stands around it.
MOST_BYTES = 256 * 1024 - 64
MARK = "$langgraph"
# LangGraph's own ends at 64 bits; JSON has no end, and a server has one.
LARGEST_INT = 10**300


class ResultNotKept(StepbackError):
    """It was done, but its result could not be kept with it."""


def kept(serde: SerializerProtocol, value: Any, *, is_shown: bool) -> dict[str, Any]:
    """Return what to finish an effect with.

    JSON is kept as it is; what is none, or is not to be read, as LangGraph writes it.
    What is too large for that, or cannot be written, is left out: it was done.
    """
    result: Any = value
    if not is_shown or not _is_json(value) or _is_marked(value):
        try:
            kind, data = serde.dumps_typed(value)
        except Exception:  # noqa: BLE001 - whatever an object raises, it was done
            return _left_out(repr(type(value)))
        result = {MARK: [kind, base64.b64encode(data).decode()]}
        result |= {"shown": readable(value)} if is_shown else {}
    spelled = json.dumps(result, ensure_ascii=False)
    return (
        {"result": result}
        if len(spelled.encode()) <= MOST_BYTES
        else _left_out(spelled)
    )


def _left_out(spelled: str) -> dict[str, Any]:
    digest = hashlib.sha256(spelled.encode()).hexdigest()
    return {"result_reference": "langgraph:not-kept", "result_digest": digest}


def given_back(serde: SerializerProtocol, begun: EffectBegin) -> Any:
    """Return what the tool returned when it was called.

    Raises: ResultNotKept.
    """
    if begun.result_reference is not None:
        raise ResultNotKept(
            f"The effect {begun.id} was done; its result could not be kept."
        )
    if _is_marked(begun.result) and isinstance(begun.result, Mapping):
        kind, data = begun.result[MARK]
        return serde.loads_typed((kind, base64.b64decode(data)))
    return begun.result


def _is_marked(value: Any) -> bool:
    return isinstance(value, Mapping) and MARK in value


def _is_json(value: Any) -> bool:
    """Say whether the same value comes back from JSON."""
    kind = type(value)
    if kind is dict:
        return all(type(name) is str for name in value) and all(
            map(_is_json, (*value, *value.values()))
        )
    if kind is list:
        return all(map(_is_json, value))
    if kind is str:
        return not any("\ud800" <= one <= "\udfff" or one == "\0" for one in value)
    if kind is int:
        return bool(abs(value) < LARGEST_INT)
    return value is None or kind is bool or (kind is float and math.isfinite(value))
