"""Phone calls about recorded runs: what a caller says, and which session is meant.

Everything is worked out from the runs alone, by comparing their states with `!=`: what
a search makes of them is not asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.replay.runs import Run
from tests.replay.steps import Step, steps
from tests.replay.working import Call as WorkingCall
from tests.replay.working import State

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
LONGEST_QUOTE = 400


@dataclass(frozen=True, slots=True)
class Call:
    """What is typed into the box, the run that is meant, and where the deed is.

    `number` is None where nothing was done: then any place of the run will do.
    """

    kind: str
    said: str
    run: str
    number: int | None


def calls(runs: Sequence[Run]) -> Iterator[Call]:
    """Yield a call for every reservation and user, and for one quote of each run."""
    told = [_Told(run) for run in runs]
    for kind, names in (
        ("reservation", {one for each in told for one in each.reservations}),
        ("user", {one for each in told for one in each.users}),
    ):
        for name in sorted(names):
            yield _about(kind, name, told)
    for one in told:
        quote = one.quote
        if quote is not None:
            yield Call("quote", json.dumps(quote[0]), one.run.name, quote[1])


def _about(kind: str, name: str, told: Sequence[_Told]) -> Call:
    """Return the call about a thing: the newest run that did something to it is meant.

    Where none did, it is the newest whose agent knew it, and then one that heard of it.
    """
    done = [one for one in told if one.deeds(name)]
    known = [one for one in told if one.knows(name)]
    heard = [one for one in told if name in one.text]
    meant = (done or known or heard)[-1]
    return Call(kind, name, meant.run.name, next(reversed(meant.deeds(name)), None))


class _Told:
    """One run, as far as people call about it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.steps: list[Step] = list(steps(run))
        self.text = json.dumps(run.messages)

    @property
    def reservations(self) -> set[str]:
        return {one for result in self._results() for one in _reservations(result)}

    @property
    def users(self) -> set[str]:
        states = [step.state["user"] for step in self.steps if step.state["user"]]
        return {user["id"] for user in states if user.get("id")}

    def deeds(self, name: str) -> list[int]:
        """Return the versions in which a tool did something to a thing."""
        return [
            step.number
            for step in self.steps
            if any(does(call) and name in named(call) for call in step.calls)
        ]

    def knows(self, name: str) -> bool:
        """Say whether the state of an agent that keeps one would have it."""
        return any(any(_known(step.state, name)) for step in self.steps)

    @property
    def quote(self) -> tuple[str, int] | None:
        """Return the longest sentence of the customer, and the version that has it."""
        said = [
            (sentence.strip(), step.number)
            for step, begin in self._beginnings()
            for message in step.messages[begin:]
            if message.get("role") == "user"
            for sentence in _SENTENCE.split(message.get("content") or "")
        ]
        short = [one for one in said if len(one[0]) <= LONGEST_QUOTE]
        return max(short, key=lambda one: len(one[0]), default=None)

    def _beginnings(self) -> Iterator[tuple[Step, int]]:
        """Return each step with the place of the first message that it brings."""
        begin = 0
        for step in self.steps:
            yield step, begin
            begin = len(step.messages)

    def _results(self) -> Iterator[Mapping[str, Any]]:
        for step in self.steps:
            for call in step.calls:
                if isinstance(call.result, dict):
                    yield call.result


def _reservations(result: Mapping[str, Any]) -> Iterator[str]:
    if "reservation_id" in result:
        yield result["reservation_id"]
    listed = result.get("reservations")
    yield from listed if isinstance(listed, list) else ()


def _known(state: State, name: str) -> tuple[Any, Any, Any]:
    user = state["user"] or {}
    return (
        state["reservations_seen"].get(name),
        state["reservations_changed"].get(name),
        user if user.get("id") == name else None,
    )


def does(call: WorkingCall) -> bool:
    """Say whether a call changed something outside; looking up does not."""
    is_doing = call.changes_reservation or call.name == "send_certificate"
    return is_doing and not call.failed


def named(call: WorkingCall) -> set[str]:
    """Return what a call names: the values of its arguments, and what it made."""
    named = {one for one in call.arguments.values() if isinstance(one, str)}
    result = call.result
    return named | set(_reservations(result) if isinstance(result, dict) else ())
