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

from stepback.bundles.differing import first_difference, is_drawn, with_ids_of
from stepback.bundles.record import Decision, Record, RecordedCall, digest_of

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
        self._decisions: dict[tuple[str, str], deque[Decision]] = {}
        for decided in record.decisions:
            self._decisions.setdefault(decided.key, deque()).append(decided)
        self._asked = 0
        self._saved = 0
        self._waits = False
        self.difference: Difference | None = None
        self.state: Json = copy.deepcopy(self._states[0].state)
        self.before: Json = self.state

    @property
    def messages(self) -> list[dict[str, Json]]:
        """What people said to the agent, each as it was kept."""
        return copy.deepcopy(self._record.messages)

    @property
    def inputs(self) -> list[tuple[dict[str, Json], dict[str, Json]]]:
        """The states before and after each time that a graph was given something."""
        told = copy.deepcopy(self._record.inputs)
        return [
            (before if isinstance(before, dict) else {}, after)
            for before, after in told
            if isinstance(after, dict)
        ]

    def reply(self) -> dict[str, Json]:
        """Return what the model said next, in place of asking it.

        Raises: NotRecorded once it said no more.
        """
        if not self._replies:
            raise NotRecorded("The record has no further reply of the model.")
        return copy.deepcopy(self._replies.popleft())

    def decision(self, tool: str, arguments: Json) -> dict[str, Json]:
        """Return what people decided when they were asked for this call.

        It has `approved`, `comment`, `arguments` and `edited`.

        Raises: NotRecorded where nobody was asked so, or nobody has decided.
        """
        found = self._decisions.get((tool, digest_of(arguments)))
        if not found or found[0].outcome is None:
            raise NotRecorded(
                f"The record has no {'such' if found is None else 'further'} decision "
                f"of people: {tool}({_short(arguments)})."
            )
        return copy.deepcopy(dict(found.popleft().outcome or {}))

    def waits(self, tool: str, arguments: Json) -> bool:
        """Say whether people were asked for this call, and the record ends with that.

        Nobody had decided by then, or nothing was done yet with what was decided.
        """
        found = self._decisions.get((tool, digest_of(arguments)))
        if not found:
            return False
        return found[0].outcome is None or not self._goes_on

    def wait(self) -> None:
        """Take it that people were asked, as when the record ended.

        Calls that nobody has answered then are not owed: they may wait for that.
        """
        self._waits = True

    def take_replies_of_models(self) -> None:
        """Leave out what nodes of a graph said themselves, among what models did.

        A message that has no id is drawn a plain one when it is added; a model's has
        one that names its run.
        """
        named = [one for one in self._replies if not is_drawn(one.get("id"))]
        if named:
            self._replies = deque(named)

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

    def save(self, state: Json, *, drawn_ids: bool = False) -> None:
        """Take a state that the agent left, as if it had stored a version.

        With `drawn_ids` an id that is drawn anew in every run is no difference.

        Raises: ValueError for what is no JSON.
        """
        kept = as_json(state)
        if drawn_ids:
            kept = with_ids_of(self.state, kept)
        if kept == self.state:
            return
        if drawn_ids and self._saved + 1 < len(self._states):
            kept = with_ids_of(self._states[self._saved + 1].state, kept)
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
        if left and not (self._waits and not any(one.is_answered for one in left)):
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

    @property
    def _goes_on(self) -> bool:
        """Whether the record has more than was done so far, or other than that."""
        is_short = self._saved + 1 < len(self._states)
        left = self._record.calls[self._asked :]
        is_left = any(one.is_answered for one in left)
        return is_short or is_left or self.difference is not None

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
