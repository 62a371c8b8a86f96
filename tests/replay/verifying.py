"""Reads a session back and holds every version against its prefix of the run.

The run is cut into steps anew, so nothing that was posted is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.replay import working
from tests.replay.differences import require_same
from tests.replay.doors import Doors
from tests.replay.posting import AGENT, turn_metadata
from tests.replay.runs import Run
from tests.replay.steps import Step, steps
from tests.replay.working import Call

# Small and odd, so that pages end within a session.
PAGE = 7
CONTEXT_TURNS = 5


@dataclass(frozen=True, slots=True)
class Counted:
    """What a session was found to hold, all of it as it should be."""

    versions: int
    turns: int
    calls: int


def verify(run: Run, session_id: str, doors: Doors, *, backwards: bool) -> Counted:
    """Compare the whole session with the run; `backwards` pages both ways.

    Raises: Difference, for the first thing that is not as the run says.
    """
    return _Session(run, session_id, doors).verify(backwards)


class _Session:
    def __init__(self, run: Run, session_id: str, doors: Doors) -> None:
        self.run = run
        self.doors = doors
        self.id = session_id
        self.path = f"/v1/sessions/{session_id}"
        self.steps = list(steps(run))
        self.turns = list(self._expected_turns())

    def verify(self, backwards: bool) -> Counted:
        self._verify_versions(backwards)
        self._verify_first_checkpoint()
        for step in self.steps:
            self._verify_checkpoint(step)
        self._verify_turns(backwards)
        self._verify_head()
        self._verify_through_sdk()
        return Counted(
            versions=1 + len(self.steps),
            turns=len(self.turns),
            calls=sum(len(step.calls) for step in self.steps),
        )

    def _same(self, what: str, expected: Any, found: Any) -> None:
        require_same(f"{self.run.name} ({self.id}), {what}", expected, found)

    def _verify_versions(self, backwards: bool) -> None:
        expected = [self._first_version(), *map(self._version, self.steps)]
        query = {"limit": PAGE, "include_state": True}
        found = list(self.doors.pages(f"{self.path}/versions", order="asc", **query))
        self._same("number of versions", len(expected), len(found))
        for number, (wanted, version) in enumerate(zip(expected, found, strict=True)):
            self._same(f"version {number}", wanted, _only(wanted, version))
        if backwards:
            newest_first = self.doors.pages(
                f"{self.path}/versions", order="desc", **query
            )
            self._same("versions, newest first", found[::-1], list(newest_first))

    def _first_version(self) -> dict[str, Any]:
        return {
            "version": 0,
            "op": "create",
            "parent_version": None,
            "state": working.initial(),
        }

    def _version(self, step: Step) -> dict[str, Any]:
        return {
            "version": step.number,
            "op": _op(step),
            "parent_version": step.number - 1,
            "reasoning": step.reasoning,
            "step_number": step.number,
            "model": self.run.model,
            "objective_status": step.state["status"],
            "state": step.state,
        }

    def _verify_first_checkpoint(self) -> None:
        parts = dict.fromkeys(("messages", "tool_results", "model_params"))
        expected = {"version": 0, "state": working.initial(), **parts}
        found = self.doors.read(f"{self.path}/checkpoint", version=0)
        self._same("checkpoint of version 0", expected, _only(expected, found))

    def _verify_checkpoint(self, step: Step) -> None:
        expected = {
            "version": step.number,
            "state": step.state,
            "messages": step.messages,
            "tool_results": step.tool_results or None,
            "model_params": {"model": self.run.model},
            "tasks": None,
            "artifacts": None,
        }
        found = self.doors.read(f"{self.path}/checkpoint", version=step.number)
        what = f"checkpoint of version {step.number}"
        self._same(what, expected, _only(expected, found))

    def _verify_turns(self, backwards: bool) -> None:
        query = {"limit": PAGE}
        found = list(self.doors.pages(f"{self.path}/turns", order="asc", **query))
        self._same("number of turns", len(self.turns), len(found))
        for wanted, turn in zip(self.turns, found, strict=True):
            what = f"turn {wanted['turn_number']}"
            self._same(what, wanted, _only(wanted, turn))
        if backwards:
            newest_first = self.doors.pages(f"{self.path}/turns", **query)
            self._same("turns, newest first", found[::-1], list(newest_first))

    def _expected_turns(self) -> Iterator[dict[str, Any]]:
        number = 0
        for step in self.steps:
            said = [] if step.said is None else [_exchange(step)]
            for turn in [*said, *(_tool_turn(call) for call in step.calls)]:
                number += 1
                yield turn | {
                    "turn_number": number,
                    "version": step.number,
                    "metadata": turn_metadata(step),
                    "reasoning": step.reasoning,
                }

    def _verify_head(self) -> None:
        end = self.steps[-1] if self.steps else None
        expected = {
            "agent_id": AGENT,
            "status": "active",
            "version": end.number if end else 0,
            "metadata": self.run.facts,
            "state": end.state if end else working.initial(),
            "turn_count": len(self.turns),
            "rollback_count": 0,
            "last_rollback": None,
        }
        self._same("session", expected, _only(expected, self.doors.read(self.path)))
        if end:
            head = self.doors.read(f"{self.path}/checkpoint")
            found = [head["version"], head["messages"]]
            self._same("head", [end.number, self.run.messages], found)

    def _verify_through_sdk(self) -> None:
        sessions = self.doors.sdk.sessions
        end = self.steps[-1].state if self.steps else working.initial()
        state = sessions.get_state(self.id)
        self._same("get_state", [len(self.steps), end], [state.version, state.state])
        context = sessions.get_context(self.id, turn_limit=CONTEXT_TURNS)
        self._same("get_context", end, context["state"])
        recent = self.turns[::-1][:CONTEXT_TURNS]
        outputs = [turn["output"] for turn in context["recent_turns"]]
        self._same("get_context", [turn["output"] for turn in recent], outputs)
        listed = sessions.list_turns(self.id, limit=CONTEXT_TURNS)
        said = [turn["input"]["content"] for turn in recent]
        self._same("list_turns", said, [turn.input.content for turn in listed])


def _op(step: Step) -> str:
    if step.said is not None:
        return "turn"
    return "update" if step.calls else "replace"


def _exchange(step: Step) -> dict[str, Any]:
    return {
        "input": {"type": "text", "content": step.heard},
        "output": {"type": "text", "content": step.said},
        "made_version": True,
        "state_after": step.state,
    }


def _tool_turn(call: Call) -> dict[str, Any]:
    """Return the turn that the SDK makes of a tool call, arguments and output whole."""
    return {
        "input": {
            "type": "tool_call",
            "content": f"Call tool {call.name} with {call.arguments}",
            "tool_metadata": {
                "name": call.name,
                "arguments": call.arguments,
                "id": call.id,
            },
        },
        "output": {
            "type": "tool_response",
            "content": str(call.result),
            "output": call.result,
        },
        "made_version": False,
        "state_after": None,
    }


def _only(wanted: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return of an answer what is compared, in the order in which it is."""
    return {name: found[name] for name in wanted if name in found}
