"""What a bundle records of a run: its states, what was said, each call's result, and
what people decided.

One call may be told of more than once: as an effect, as a turn, and in the messages
that an agent keeps. Calls of the same tool with the same arguments are one list, that
of whoever tells of the most.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

Line = Mapping[str, Any]
# Of whom a list is taken where two tell of as many.
EFFECT, TURN, MESSAGE = "effect", "turn", "message"
APPROVAL, VOIDED = "approval", "voided"
# How StepbackSaver says that a graph was given something: the next version has it.
INPUT = "input, step "
NOT_ANSWERED = "not answered"


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call of a tool, with what it returned."""

    tool: str
    arguments: Any
    source: str
    at: str
    result: Any = None
    # What is known of a call that returned nothing: failed, unknown, begun.
    trouble: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.tool, digest_of(self.arguments)

    @property
    def is_answered(self) -> bool:
        """Whether it was more than asked for, when the record ended."""
        return self.trouble != NOT_ANSWERED


@dataclass(frozen=True, slots=True)
class Decision:
    """What people decided of one call that they were asked about."""

    tool: str
    arguments: Any
    # As the server tells it: approved, comment, arguments, edited. None: it waits.
    outcome: Mapping[str, Any] | None

    @property
    def key(self) -> tuple[str, str]:
        return self.tool, digest_of(self.arguments)


@dataclass(frozen=True, slots=True)
class RecordedState:
    version: int
    state: Any


@dataclass(slots=True)
class Record:
    """A recorded run, along the versions that no rollback has set aside."""

    session: Mapping[str, Any] = field(default_factory=dict)
    states: list[RecordedState] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    replies: list[dict[str, Any]] = field(default_factory=list)
    # In the order in which they were made.
    calls: list[RecordedCall] = field(default_factory=list)
    # Told of by effects and turns alone, while the messages say what came when.
    beside: list[RecordedCall] = field(default_factory=list)
    # In the order in which was asked, without what a rollback made void.
    decisions: list[Decision] = field(default_factory=list)
    # States of a graph before and after each time that it was given something.
    inputs: list[tuple[Any, Any]] = field(default_factory=list)
    # Whether the version that was taken last is such a time.
    is_given: bool = False
    erased: int = 0
    masked: Mapping[str, Any] = field(default_factory=dict)


def record_of(lines: Iterable[Line]) -> Record:
    """Return what the lines of a bundle record."""
    record, live = Record(), set[int]()
    kinds = TURN, EFFECT, APPROVAL, "conversation"
    told: dict[str, list[Line]] = {kind: [] for kind in kinds}
    for line in lines:
        kind = line.get("type")
        if kind == "header":
            record.session = line.get("session") or {}
        elif kind == "version":
            _take_version(record, live, line)
        elif kind == "trailer":
            record.masked = line.get("masked") or {}
        elif kind in told:
            told[str(kind)].append(line)
    turns = [one for one in told[TURN] if one.get("version") in live]
    effects = [one for one in told[EFFECT] if one.get("number") in live]
    _take_conversation(record, told["conversation"], turns)
    _take_calls(record, turns, effects)
    record.decisions = [
        Decision(str(one.get("tool")), one.get("arguments"), one.get("outcome"))
        for one in told[APPROVAL]
        if one.get("version") in live and one.get("status") != VOIDED
    ]
    return record


def digest_of(value: Any) -> str:
    """Return the digest of a JSON value; 1 and 1.0 are one number.

    Raises: ValueError, TypeError for what is no JSON.
    """
    text = json.dumps(
        _plain(value), sort_keys=True, ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


def _take_version(record: Record, live: set[int], line: Line) -> None:
    """Take a version that leads to the last; one that changed nothing is no step."""
    if line.get("set_aside_by") is not None:
        return
    live.add(line["version"])
    if "state" not in line:
        record.erased += 1
        return
    before = record.states[-1].state if record.states else None
    if before is None or before != line["state"]:
        record.states.append(RecordedState(line["version"], line["state"]))
    if record.is_given:
        record.inputs.append((before, line["state"]))
    record.is_given = str(line.get("reasoning") or "").startswith(INPUT)


def _take_conversation(
    record: Record, conversations: Sequence[Line], turns: Sequence[Line]
) -> None:
    """Take the messages of the last version, of its state, or else of the turns."""
    kept = conversations[-1].get("messages") if conversations else None
    if not kept and record.states:
        last = record.states[-1].state
        kept = last.get("messages") if isinstance(last, dict) else None
    said = [one for one in kept or [] if isinstance(one, dict)]
    if not said:
        said = list(_said_in(turns))
    for one in said:
        role = role_of(one)
        if role == "user":
            record.messages.append(one)
        elif role == "assistant":
            record.replies.append(one)
    record.calls = list(_calls_in(said))


def role_of(message: Line) -> str:
    """Return who says a message, in OpenAI's words or in LangChain's."""
    role = str(message.get("role") or message.get("type") or "")
    return {"human": "user", "ai": "assistant"}.get(role, role)


def _said_in(turns: Sequence[Line]) -> Iterator[dict[str, Any]]:
    for turn in turns:
        asked, said = turn.get("input") or {}, turn.get("output") or {}
        if asked.get("type") != "tool_call":
            yield {"role": "user", "content": asked.get("content")}
            yield {"role": "assistant", "content": said.get("content")}


def _calls_in(messages: Sequence[Line]) -> Iterator[RecordedCall]:
    """Yield the calls of messages, each with the first answer that follows it."""
    answers: dict[str, list[tuple[int, Any]]] = {}
    for at, one in enumerate(messages):
        if role_of(one) == "tool":
            known = answers.setdefault(str(one.get("tool_call_id")), [])
            known.append((at, one.get("content")))
    for at, one in enumerate(messages):
        if role_of(one) != "assistant":
            continue
        for call in one.get("tool_calls") or []:
            if isinstance(call, dict):
                yield _call_in(call, at, answers.get(str(call.get("id")), []))


def called(call: Line) -> tuple[str, Any]:
    """Return tool and arguments of a call, in OpenAI's words or in LangChain's."""
    function = call.get("function") or call
    arguments = function.get("arguments")
    if "args" in function:
        arguments = function["args"]
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            arguments = json.loads(arguments)
    return str(function.get("name")), arguments


def _call_in(call: Line, at: int, answers: list[tuple[int, Any]]) -> RecordedCall:
    tool, arguments = called(call)
    later = [found for found in answers if found[0] > at]
    place = f"message {at + 1}"
    if not later:
        return RecordedCall(tool, arguments, MESSAGE, place, trouble=NOT_ANSWERED)
    answers.remove(later[0])
    return RecordedCall(tool, arguments, MESSAGE, place, later[0][1])


def _take_calls(record: Record, turns: Sequence[Line], effects: Sequence[Line]) -> None:
    """Add what turns and effects tell of, in the order of their times."""
    timed = [(str(one.get("created_at")), _of_turn(one)) for one in turns]
    timed += [(str(one.get("created_at")), _of_effect(one)) for one in effects]
    told = [call for _, call in sorted(timed, key=lambda one: one[0]) if call]
    chosen = _chosen([*record.calls, *told])
    if record.calls:
        taken, known = set(map(id, chosen)), {one.key for one in record.calls}
        record.beside = [
            one for one in told if id(one) in taken and one.key not in known
        ]
        by_key: dict[tuple[str, str], list[RecordedCall]] = {}
        for one in chosen:
            by_key.setdefault(one.key, []).append(one)
        record.calls = [_better(one, by_key) for one in record.calls]
    else:
        taken = set(map(id, chosen))
        record.calls = [one for one in told if id(one) in taken]


def _chosen(calls: Sequence[RecordedCall]) -> list[RecordedCall]:
    """Return of equal calls those of the source that tells of the most."""
    by_key: dict[tuple[str, str], dict[str, list[RecordedCall]]] = {}
    for one in calls:
        by_key.setdefault(one.key, {}).setdefault(one.source, []).append(one)
    found = []
    for sources in by_key.values():
        told = [sources.get(name, []) for name in (EFFECT, TURN, MESSAGE)]
        longest: list[RecordedCall] = max(told, key=len)
        found += longest
    return found


def _better(
    call: RecordedCall, chosen: dict[tuple[str, str], list[RecordedCall]]
) -> RecordedCall:
    """Return the call as its effect or its turn tells of it, which keep JSON."""
    known = chosen.get(call.key)
    return known.pop(0) if known else call


def _of_turn(turn: Line) -> RecordedCall | None:
    asked, said = turn.get("input") or {}, turn.get("output") or {}
    called = asked.get("tool_metadata")
    if asked.get("type") != "tool_call" or not isinstance(called, dict):
        return None
    return RecordedCall(
        str(called.get("name")),
        called.get("arguments"),
        TURN,
        f"turn {turn.get('turn_number')}",
        said.get("output", said.get("content")),
    )


def _of_effect(effect: Line) -> RecordedCall | None:
    arguments, status = effect.get("arguments"), effect.get("status")
    trouble = None if status in ("done", "reused") else str(status)
    if arguments is None:
        return None
    if effect.get("result_reference") and effect.get("result") is None:
        trouble = f"kept elsewhere, at {effect['result_reference']}"
    return RecordedCall(
        str(effect.get("tool")),
        arguments,
        EFFECT,
        f"effect {effect.get('key')}",
        effect.get("result"),
        trouble,
    )
