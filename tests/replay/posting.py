"""Posts one run: a session, a version for each step, its turns and tool calls.

Sessions and tool calls go through the SDK, everything it cannot say over REST. All
keys come from the run itself, so that posting it again changes nothing.
"""

from __future__ import annotations

from typing import Any

from tests.replay import working
from tests.replay.doors import Doors
from tests.replay.runs import Run
from tests.replay.steps import Step, steps
from tests.replay.working import State

AGENT = "airline-support"


def post(run: Run, doors: Doors) -> str:
    """Return the id of the session that now holds the run."""
    before = working.initial()
    session = doors.keyed(
        _key(run, "session"),
        lambda sdk: sdk.sessions.create(
            agent_id=AGENT, metadata=run.facts, initial_state=before
        ),
    )
    for step in steps(run):
        _post_version(run, step, before, session.id, doors)
        _post_calls(run, step, session.id, doors)
        before = step.state
    return str(session.id)


def turn_metadata(step: Step) -> dict[str, Any]:
    return {"step": step.number}


def _post_version(
    run: Run, step: Step, before: State, session_id: str, doors: Doors
) -> None:
    method, path, written = _write(step, before)
    body = written | {
        "reasoning": step.reasoning,
        "step_number": step.number,
        "model": run.model,
        "objective_status": step.state["status"],
        "expected_version": step.number - 1,
        "messages": step.messages,
    }
    # Parts that are not sent are carried over, which reading them back proves.
    if step.calls:
        body["tool_results"] = step.tool_results
    if step.number == 1:
        body["model_params"] = {"model": run.model}
    key = _key(run, f"version-{step.number}")
    doors.write(method, f"/v1/sessions/{session_id}/{path}", key, body)


def _write(step: Step, before: State) -> tuple[str, str, dict[str, Any]]:
    """Return how a step is written: as a turn, a merge, or a whole state at the end."""
    if step.said is not None:
        turn = {"input": step.heard, "output": step.said, "state_after": step.state}
        return "POST", "turns", turn | {"metadata": turn_metadata(step)}
    if step.calls:
        changed = {
            name: value for name, value in step.state.items() if value != before[name]
        }
        return "PATCH", "state", {"state": changed}
    return "PUT", "state", {"state": step.state}


def _post_calls(run: Run, step: Step, session_id: str, doors: Doors) -> None:
    for call in step.calls:
        doors.keyed(
            _key(run, f"call-{call.key}"),
            lambda sdk, call=call: sdk.sessions.add_tool_call(  # type: ignore[misc]
                session_id=session_id,
                tool_name=call.name,
                arguments=call.arguments,
                output=call.result,
                tool_call_id=call.id,
                reasoning=step.reasoning,
                metadata=turn_metadata(step),
            ),
        )


def _key(run: Run, what: str) -> str:
    return f"replay:{run.digest}:{what}"
