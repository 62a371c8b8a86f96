"""Calls of tools as messages and turns tell of them, in the shapes that are read.

`tool_calls` of OpenAI and LangChain, the names that StateBase's clients write, and the
answers that name a call by `tool_call_id`. Pure: values in, calls out. Other shapes are
not guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from apps.core import json
from apps.core.errors import DomainError
from apps.core.json import Json

NAMES = ("name", "tool", "tool_name")
LONGEST_NAME = 200
# What an answer that is a text says first, where it has no field to say that it failed:
# "Error: no seats left", "ValueError: …".
_FAILURE = re.compile(r"\s*\w*error:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What was told of one call."""

    name: str
    id: str | None
    arguments: Json


def calls_of(said: Json) -> Iterator[ToolCall]:
    """Yield the calls that a message or a side of a turn lists; it may be anything."""
    if not isinstance(said, dict) or not isinstance(said.get("tool_calls"), list):
        return
    for one in said["tool_calls"]:
        if not isinstance(one, dict):
            continue
        function = one.get("function")
        told = {**one, **function} if isinstance(function, dict) else one
        if name_of(told):
            yield call_of(told)


def call_of(told: dict[str, Any]) -> ToolCall:
    """Return the call that an object tells of."""
    arguments = told.get("arguments", told.get("args", told.get("input")))
    if isinstance(arguments, str):
        arguments = parsed(arguments.encode(errors="replace"), arguments)
    call_id = told.get("id")
    return ToolCall(
        name=name_of(told),
        id=call_id if isinstance(call_id, str) and call_id else None,
        arguments=arguments,
    )


def name_of(told: Json) -> str:
    """Return the name of a tool in an object; an empty one for none."""
    if isinstance(told, dict):
        for key in NAMES:
            if isinstance(told.get(key), str):
                return str(told[key])[:LONGEST_NAME]
    return ""


def failed_call(message: Json) -> str | None:
    """Return the id of the call that a message answers, if it says that it failed."""
    if not isinstance(message, dict):
        return None
    call_id = message.get("tool_call_id")
    if not isinstance(call_id, str):
        return None
    said = message.get("content")
    has_failed = (
        message.get("status") == "error"
        or message.get("is_error") is True
        or (isinstance(said, str) and _FAILURE.match(said) is not None)
    )
    return call_id if has_failed else None


def parsed(data: bytes | None, otherwise: Json = None) -> Json:
    """Return the value, or `otherwise` where it is none: it may be anything."""
    if data is None:
        return otherwise
    try:
        return json.parse(data)
    except DomainError:
        return otherwise
