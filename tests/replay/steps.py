"""Cuts a run into steps: what the agent did between two states worth keeping.

A step ends when the agent has spoken, or when the tools it called have answered; what
the user said before belongs to it. Words after the agent's last are a step as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.replay import working
from tests.replay.runs import MalformedRun, Run
from tests.replay.working import Call, State

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One step, and everything that holds after it: a prefix of the run.

    `number` is its version. `heard` and `said` are set where the agent spoke.
    """

    number: int
    state: State
    messages: list[Message]
    tool_results: dict[str, Any]
    reasoning: str
    calls: tuple[Call, ...] = ()
    heard: str | None = None
    said: str | None = None


def steps(run: Run) -> Iterator[Step]:
    """Return the steps of the run in their order.

    Raises: MalformedRun.
    """
    return _Reader(run).steps()


class _Reader:
    """Goes through the messages once; holds what the last step left."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.at = 0
        self.number = 0
        self.state = working.initial()
        self.results: dict[str, Any] = {}
        self.heard: list[str] = []

    def steps(self) -> Iterator[Step]:
        while self.at < len(self.run.messages):
            message = self.run.messages[self.at]
            self.at += 1
            match message.get("role"):
                case "system":
                    continue
                case "user":
                    self.heard.append(message.get("content") or "")
                case "assistant" if message.get("tool_calls"):
                    yield self._called(message)
                case "assistant":
                    yield self._spoken(message)
                case role:
                    place = f"{self.run.name}: message {self.at - 1}"
                    raise MalformedRun(f"{place} is out of place: {role}")
        if self.heard:
            yield self._ended()

    def _called(self, message: Message) -> Step:
        self._begin()
        calls = tuple(self._calls(message["tool_calls"]))
        for call in calls:
            self.state = working.called(self.state, call)
            result = {"name": call.name, "content": call.content}
            self.results = self.results | {call.key: result}
        return self._step(reasoning=_why(calls), calls=calls)

    def _spoken(self, message: Message) -> Step:
        self._begin()
        said = message.get("content") or ""
        self.state = working.answered(self.state, said)
        heard, self.heard = "\n".join(self.heard), []
        return self._step(reasoning="Answered the user", heard=heard, said=said)

    def _ended(self) -> Step:
        self._begin()
        self.state = working.ended(self.state)
        return self._step(reasoning="The user ended the conversation")

    def _begin(self) -> None:
        self.number += 1
        self.state = self.state | {"step": self.number}

    def _step(self, **what: Any) -> Step:
        return Step(
            number=self.number,
            state=self.state,
            messages=self.run.messages[: self.at],
            tool_results=self.results,
            **what,
        )

    def _calls(self, asked: list[dict[str, Any]]) -> Iterator[Call]:
        """Match the calls with the tools' messages that follow."""
        contents: dict[str, str | None] = {}
        while self._at_tool():
            answer = self.run.messages[self.at]
            contents[answer["tool_call_id"]] = answer.get("content")
            self.at += 1
        taken = set(self.results)
        for one in asked:
            key = _unique(one["id"], taken)
            taken.add(key)
            yield Call(
                key=key,
                id=one["id"],
                name=one["function"]["name"],
                arguments=_arguments(one["function"]["arguments"]),
                content=contents.get(one["id"]),
            )

    def _at_tool(self) -> bool:
        messages = self.run.messages
        return self.at < len(messages) and messages[self.at].get("role") == "tool"


def _arguments(text: str) -> dict[str, Any]:
    """Models do not always write the JSON they are asked for: keep what they wrote."""
    try:
        value = json.loads(text)
    except ValueError:
        return {"unparsed": text}
    return value if isinstance(value, dict) else {"value": value}


def _unique(call_id: str, taken: set[str]) -> str:
    """Recorded ids do repeat within a run: later ones are numbered."""
    key, repeat = call_id, 1
    while key in taken:
        repeat += 1
        key = f"{call_id}#{repeat}"
    return key


def _why(calls: tuple[Call, ...]) -> str:
    thoughts = [call.arguments.get("thought") for call in calls]
    said = [thought for thought in thoughts if isinstance(thought, str)]
    return " ".join(said) or "Called " + ", ".join(call.name for call in calls)
