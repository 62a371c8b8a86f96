"""Tool calls that agents reported: what happened outside, and cannot be taken back.

They are reported in turns of type `tool_call` or with a tool's name in their metadata
(StateBase), in `tool_calls` of turns and of messages (OpenAI), and among a checkpoint's
tool results. Pure: values in, calls out. Other shapes are not guessed at, and what was
never reported is not known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from apps.core import json
from apps.core.json import Json
from apps.diffs.equality import same
from apps.timeline.bodies import Part
from apps.timeline.hooks import reported
from apps.timeline.ledger.facts import called
from apps.timeline.ledger.facts.called import ToolCall, parsed

# The parts of a checkpoint that report calls.
REPORTING = ("messages", "tool_results")


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call: as much as was told of it.

    `session_id` is where it was reported, `number` the head of the turn that did so.
    `may_be_part`: that version shows the body that is asked about, which may know of
    the call. `was_set_aside`: a rollback has set that version aside before.
    """

    name: str
    id: str | None = None
    arguments: Json = None
    session_id: str | None = None
    number: int | None = None
    turn_number: int | None = None
    at: datetime | None = None
    may_be_part: bool = False
    was_set_aside: bool = False


def calls_in_turn(parts: dict[str, bytes]) -> list[Call]:
    """Return the calls that a turn tells of."""
    said, answered = json.parse(parts["input"]), json.parse(parts["output"])
    found = []
    for side in (said, answered):
        about = side.get("tool_metadata")
        if side.get("type") == "tool_call" and called.name_of(about):
            found.append(_call(called.call_of(about)))
        found += _listed(side)
        found += calls_in_messages([side.get("content")])
    # What is counted as a call of a tool (docs/metrics.md) is one here, too.
    name = reported.facts(said, answered, parsed(parts.get("metadata"))).get(
        "tool_name"
    )
    if isinstance(name, str) and name not in [call.name for call in found]:
        found.append(Call(name=name))
    return found


def calls_in_messages(messages: Iterable[Json]) -> list[Call]:
    """Return the calls among messages, at any of which may be anything."""
    return [call for one in messages for call in _listed(one)]


def may_report(parts: Iterable[Part]) -> bool:
    """Return whether a checkpoint has a part that may report calls."""
    empty = (b"[]", b"{}")
    return any(part.name in REPORTING and part.data not in empty for part in parts)


def made_since(
    before: Iterable[Part], checkpoints: Sequence[Iterable[Part]]
) -> list[Call]:
    """Return the calls that checkpoints report and an earlier one does not.

    Checkpoints are given oldest first; parts to which the next one only appends are
    not parsed.
    """
    named = [*map(_by_name, checkpoints), {}]
    earlier = list(_in_parts(_by_name(before)))
    found: list[Call] = []
    for now, later in pairwise(named):
        reported_now = _in_parts(_not_continued(now, later))
        found += _beyond([*earlier, *found], reported_now)
    return merged(found)


def merged(calls: Iterable[Call]) -> list[Call]:
    """Merge reports of the same call: what one leaves out, another one adds.

    Calls without an id are never merged. One id with two names or arguments belongs to
    two calls: some agents number their calls anew in each turn.
    """
    found: list[Call] = []
    places: dict[str, list[int]] = {}
    for call in calls:
        known = places.setdefault(call.id, []) if call.id else []
        place = next((at for at in known if _may_be_same(found[at], call)), None)
        if place is None:
            known.append(len(found))
            found.append(call)
        else:
            found[place] = _completed(found[place], call)
    return found


def _beyond(known: Iterable[Call], calls: Iterable[Call]) -> Iterator[Call]:
    """Yield the calls that are not among the known; calls without an id by count."""
    by_id: dict[str, list[Call]] = {}
    left: Counter[bytes] = Counter()
    for one in known:
        if one.id:
            by_id.setdefault(one.id, []).append(one)
        else:
            left[_written(one)] += 1
    for call in calls:
        if call.id:
            if not any(_may_be_same(one, call) for one in by_id.get(call.id, ())):
                yield call
        elif left[_written(call)]:
            left[_written(call)] -= 1
        else:
            yield call


def _may_be_same(one: Call, other: Call) -> bool:
    if one.name and other.name and one.name != other.name:
        return False
    if one.arguments is None or other.arguments is None:
        return True
    return same(one.arguments, other.arguments)


def _completed(known: Call, other: Call) -> Call:
    placed = known if known.number is not None else other
    return replace(
        known,
        name=known.name or other.name,
        arguments=other.arguments if known.arguments is None else known.arguments,
        session_id=placed.session_id,
        number=placed.number,
        turn_number=placed.turn_number,
        at=placed.at,
        may_be_part=known.may_be_part or other.may_be_part,
        was_set_aside=placed.was_set_aside,
    )


def _not_continued(now: dict[str, bytes], later: dict[str, bytes]) -> dict[str, bytes]:
    """Return the parts of a checkpoint to which the next one does not just append."""
    return {
        name: data
        for name, data in now.items()
        if name in REPORTING and not _is_beginning(data, later.get(name, b""))
    }


def _is_beginning(data: bytes, later: bytes) -> bool:
    """Return whether the later list or object begins with all entries of this one."""
    end = len(data) - 1
    return later[end : end + 1] in (data[end:], b",") and later.startswith(data[:end])


def _in_parts(parts: dict[str, bytes]) -> Iterator[Call]:
    messages = parsed(parts.get("messages"))
    if isinstance(messages, list):
        yield from calls_in_messages(messages)
    results = parsed(parts.get("tool_results"))
    if isinstance(results, dict):
        for key, result in results.items():
            yield Call(name=called.name_of(result), id=key)


def _listed(said: Json) -> Iterator[Call]:
    return map(_call, called.calls_of(said))


def _call(told: ToolCall) -> Call:
    return Call(name=told.name, id=told.id, arguments=told.arguments)


def _written(call: Call) -> bytes:
    return json.dumps([call.name, call.arguments])


def _by_name(parts: Iterable[Part]) -> dict[str, bytes]:
    return {part.name: part.data for part in parts}
