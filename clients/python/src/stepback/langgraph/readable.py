"""What people read of a checkpoint in the console: plain JSON, made here.

The server never rebuilds objects. This view is not read back either: what a graph
resumes from is LangGraph's own serialisation beside it.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Mapping, Set
from datetime import date, time, timedelta
from typing import Any
from uuid import UUID

DEEPEST = 40
MOST_ITEMS = 10_000
LONGEST_REPR = 500
LARGEST = 10**4000
MESSAGE = ("type", "content", "name", "tool_calls", "tool_call_id", "status", "id")
# Of channels that a graph's author did not name: they say where a run stands.
INNER = ("__", "branch:")


def readable_state(channel_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the channels that a graph's author named, as JSON."""
    return {
        text(name): readable(value)
        for name, value in channel_values.items()
        if not name.startswith(INNER)
    }


def readable(value: Any, depth: int = 0) -> Any:
    """Return JSON that shows the value; what cannot be shown is described."""
    if value is None or isinstance(value, bool):
        return value
    if depth >= DEEPEST:
        return {"$deeper": type(value).__name__}
    plain = _plain(value)
    if plain is not None:
        return plain
    inner = _inner(value)
    if isinstance(inner, dict):
        pairs = list(inner.items())[:MOST_ITEMS]
        return {text(str(key)): readable(one, depth + 1) for key, one in pairs}
    if isinstance(inner, list):
        return [readable(one, depth + 1) for one in inner[:MOST_ITEMS]]
    return {"$type": _name(value), "repr": text(repr(value)[:LONGEST_REPR])}


def text(value: str) -> str:
    """Return the text, halves of surrogate pairs shown as what they are."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", "backslashreplace").decode()
    return value


def _plain(value: Any) -> Any:
    """Return numbers and texts, and what is written as a text; else None."""
    if isinstance(value, enum.Enum):
        return readable(value.value, DEEPEST - 1)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, int):
        return value if -LARGEST < value < LARGEST else str(type(value).__name__)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, date | time | timedelta | UUID):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return {"$bytes": len(value)}
    return None


def _inner(value: Any) -> dict[Any, Any] | list[Any] | None:
    """Return what the value is made of."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Set):
        return sorted(value, key=repr)
    if _is_message(value):
        told = {name: getattr(value, name, None) for name in MESSAGE}
        return {name: one for name, one in told.items() if one not in (None, [], "")}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    fields = getattr(type(value), "model_fields", None)
    if isinstance(fields, dict):
        return {name: getattr(value, name, None) for name in fields}
    return None


def _is_message(value: Any) -> bool:
    named = {one.__name__ for one in type(value).__mro__}
    return "BaseMessage" in named and hasattr(value, "content")


def _name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
