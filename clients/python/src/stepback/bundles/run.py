"""What an agent gets when it is replayed: the start, and the record in place of tools.

def agent(state, run):
    for message in run.messages:
        seats = run.call("find_seats", {"flight": "SK 1"})
        state = {**state, "seats": seats}
        yield state
"""

from __future__ import annotations

import copy
import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stepback.bundles.differing import first_difference
from stepback.bundles.record import Record, RecordedCall, digest_of

Json = Any


class NotRecorded(LookupError):
    """The record has no such call, so nothing can answer it."""


class RecordedFailure(RuntimeError):
    """The call is in the record, and returned nothing then."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a replay first went another way: recorded beside what is now."""

    # action: another tool, or more or fewer calls; arguments; state.
    kind: str
    step: int
    at: str
    recorded: Any
    now: Any
    pointer: str = ""


class Run:
    """A recorded run, as an agent may ask for it. It answers without a network."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._states = record.states
        self._answers: dict[tuple[str, str], deque[RecordedCall]] = {}
        for one in [*record.calls, *record.beside]:
            self._answers.setdefault(one.key, deque()).append(one)
        self._beside = {one.key for one in record.beside}
        self._replies = deque(record.replies)
        self._asked = 0
        self._saved = 0
        self.difference: Difference | None = None
        self.state: Json = copy.deepcopy(self._states[0].state)
        self.before: Json = self.state

    @property
    def messages(self) -> list[dict[str, Json]]:
        """What people said to the agent, each as it was kept."""
        return copy.deepcopy(self._record.messages)

    def reply(self) -> dict[str, Json]:
        """Return what the model said next, in place of asking it.

        Raises: NotRecorded once it said no more.
        """
        if not self._replies:
            raise NotRecorded("The record has no further reply of the model.")
        return copy.deepcopy(self._replies.popleft())

    def call(
        self, tool: str, arguments: Mapping[str, Json] | None = None, /, **named: Json
    ) -> Json:
        """Return what the tool returned then for these arguments.

        Raises: NotRecorded, RecordedFailure; ValueError for what is no JSON.
        """
        given = {**(arguments or {}), **named}
        try:
            key = tool, digest_of(given)
        except (TypeError, ValueError) as error:
            raise ValueError(f"Arguments of {tool} are no JSON: {error}") from error
        found = self._answers.get(key)
        self._compare_call(tool, given, key)
        if not found:
            raise NotRecorded(
                f"The record has no {'such' if found is None else 'further'} call: "
                f"{tool}({_short(given)})."
            )
        answer = found.popleft()
        if answer.trouble is not None:
            raise RecordedFailure(f"{answer.at}: {tool} was {answer.trouble}.")
        return copy.deepcopy(answer.result)

    async def acall(
        self, tool: str, arguments: Mapping[str, Json] | None = None, /, **named: Json
    ) -> Json:
        """Return the same, for agents that await their tools."""
        return self.call(tool, arguments, **named)

    def save(self, state: Json) -> None:
        """Take a state that the agent left, as if it had stored a version.

        Raises: ValueError for what is no JSON.
        """
        kept = as_json(state)
        if kept == self.state:
            return
        self.before, self.state = self.state, kept
        self._saved += 1
        if self.difference is not None:
            return
        if self._saved >= len(self._states):
            self._differs("state", self._saved, "the end of the record", None, kept)
            return
        expected = self._states[self._saved]
        found = first_difference(expected.state, kept)
        if found is not None:
            pointer, recorded, now = found
            at = f"v{expected.version}"
            self._differs("state", self._saved, at, recorded, now, pointer)

    @property
    def has_saved(self) -> bool:
        return self._saved > 0

    def end(self, *, has_saved: bool) -> None:
        """Hold the end of the run to the record's: what it left out, or left."""
        if self.difference is not None:
            return
        left = self._record.calls[self._asked :]
        if left:
            said = {"tool": left[0].tool, "arguments": left[0].arguments}
            self._differs("action", self._asked + 1, left[0].at, said, None)
        elif has_saved and self._saved < len(self._states) - 1:
            missing = self._states[self._saved + 1]
            at = f"v{missing.version}"
            self._differs("state", self._saved + 1, at, missing.state, None)

    def hold_last(self, state: Json) -> None:
        """Hold the one state that an agent left to the record's last.

        Raises: ValueError for what is no JSON.
        """
        self.before, self.state = self.state, as_json(state)
        last = self._states[-1]
        found = first_difference(last.state, self.state)
        if found is not None:
            pointer, recorded, now = found
            step = len(self._states) - 1
            self._differs("state", step, f"v{last.version}", recorded, now, pointer)

    def _compare_call(self, tool: str, given: Json, key: tuple[str, str]) -> None:
        """Hold a call to the one that stands next in the record."""
        if key in self._beside or self.difference is not None:
            return
        self._asked += 1
        now = {"tool": tool, "arguments": given}
        if self._asked > len(self._record.calls):
            end = "the end of the record"
            self._differs("action", self._asked, end, None, now)
            return
        expected = self._record.calls[self._asked - 1]
        if expected.key == key:
            return
        recorded = {"tool": expected.tool, "arguments": expected.arguments}
        if expected.tool != tool:
            self._differs("action", self._asked, expected.at, recorded, now)
            return
        found = first_difference(expected.arguments, given)
        pointer = found[0] if found else ""
        self._differs("arguments", self._asked, expected.at, recorded, now, pointer)

    def _differs(
        self,
        kind: str,
        step: int,
        at: str,
        recorded: Json,
        now: Json,
        pointer: str = "",
    ) -> None:
        if self.difference is None:
            self.difference = Difference(kind, step, at, recorded, now, pointer)


def as_json(value: Any) -> Json:
    """Return a copy of a value that is JSON.

    Raises: ValueError for any other.
    """
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"The agent left a state that is no JSON: {error}") from error


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:199] + "…"
