"""Tool calls that agents reported: what happened outside, and cannot be taken back.

They stand in turns of type `tool_call` (StateBase), in `tool_calls` of turns and of
messages (OpenAI), and among a checkpoint's tool results. Pure: values in, calls out.
Other shapes are not guessed at, and what was never reported is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from apps.core import json
from apps.core.errors import DomainError
from apps.core.json import Json
from apps.timeline.bodies import Part

NAMES = ("name", "tool", "tool_name")
LONGEST_NAME = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call: as much as was told of it.

    `number` is the version after which it was reported, where a turn reported it.
    """

    name: str
    id: str | None = None
    arguments: Json = None
    number: int | None = None
    turn_number: int | None = None
    at: datetime | None = None


def in_turn(parts: dict[str, bytes]) -> list[Call]:
    """Return the calls that a turn tells of."""
    found = []
    for side in ("input", "output"):
        said = json.parse(parts[side])
        if said.get("type") == "tool_call" and _has_name(said.get("tool_metadata")):
            found.append(_call(said["tool_metadata"]))
        found += _listed(said)
        found += in_messages([said.get("content")])
    return found


def in_messages(messages: Iterable[Json]) -> list[Call]:
    """Return the calls among messages, at any of which may be anything."""
    return [call for one in messages for call in _listed(one)]


def made_since(before: Iterable[Part], after: Iterable[Part]) -> list[Call]:
    """Return the calls that one checkpoint tells of and an earlier one does not."""
    was, now = _by_name(before), _by_name(after)
    earlier = {_identity(call) for call in _in_parts(was)}
    return merged(call for call in _in_parts(now) if _identity(call) not in earlier)


def merged(calls: Iterable[Call]) -> list[Call]:
    """Tell each call once: what one place leaves out, another one adds.

    Those without an id are told apart by nothing, so each is one of its own.
    """
    found: dict[object, Call] = {}
    for place, call in enumerate(calls):
        key = call.id or place
        known = found.get(key)
        found[key] = _completed(known, call) if known else call
    return list(found.values())


def _completed(known: Call, other: Call) -> Call:
    return replace(
        known,
        name=known.name or other.name,
        arguments=other.arguments if known.arguments is None else known.arguments,
        number=other.number if known.number is None else known.number,
        turn_number=known.turn_number or other.turn_number,
        at=known.at or other.at,
    )


def _in_parts(parts: dict[str, bytes]) -> Iterator[Call]:
    messages = _parsed(parts.get("messages"))
    if isinstance(messages, list):
        yield from in_messages(messages)
    results = _parsed(parts.get("tool_results"))
    if isinstance(results, dict):
        for key, result in results.items():
            yield Call(name=_name(result), id=key)


def _listed(said: Json) -> Iterator[Call]:
    if not isinstance(said, dict) or not isinstance(said.get("tool_calls"), list):
        return
    for one in said["tool_calls"]:
        if not isinstance(one, dict):
            continue
        function = one.get("function")
        told = {**one, **function} if isinstance(function, dict) else one
        if _has_name(told):
            yield _call(told)


def _call(told: dict[str, Json]) -> Call:
    arguments = told.get("arguments", told.get("args", told.get("input")))
    if isinstance(arguments, str):
        arguments = _parsed(arguments.encode(errors="replace"), arguments)
    call_id = told.get("id")
    return Call(
        name=_name(told),
        id=call_id if isinstance(call_id, str) and call_id else None,
        arguments=arguments,
    )


def _name(told: Json) -> str:
    if isinstance(told, dict):
        for key in NAMES:
            if isinstance(told.get(key), str):
                return str(told[key])[:LONGEST_NAME]
    return ""


def _has_name(told: Json) -> bool:
    return bool(_name(told))


def _identity(call: Call) -> object:
    return call.id or (call.name, json.dumps(call.arguments))


def _by_name(parts: Iterable[Part]) -> dict[str, bytes]:
    return {part.name: part.data for part in parts}


def _parsed(data: bytes | None, otherwise: Json = None) -> Json:
    """Return the value, or `otherwise` where it is none: it may be anything."""
    if data is None:
        return otherwise
    try:
        return json.parse(data)
    except DomainError:
        return otherwise
