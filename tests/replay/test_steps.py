"""A run is cut into steps, each with the whole prefix and one working state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.replay import runs, working
from tests.replay.make import called, make_file, make_run, said
from tests.replay.runs import MalformedRun
from tests.replay.steps import Step, steps


@pytest.fixture
def cut(tmp_path: Path) -> list[Step]:
    """The steps of the run made by hand."""
    (run,) = runs.read(make_file(tmp_path, make_run()))
    return list(steps(run))


def cut_messages(folder: Path, *messages: dict[str, Any]) -> list[Step]:
    path = make_file(folder, make_run() | {"messages": list(messages)})
    return list(steps(next(runs.read(path))))


def test_a_step_ends_when_the_agent_or_its_tools_have_answered(
    cut: list[Step],
) -> None:
    told = [
        (step.number, len(step.messages), len(step.calls), step.said is not None)
        for step in cut
    ]

    assert told == [
        (1, 5, 2, False),
        (2, 6, 0, True),
        (3, 10, 1, False),
        (4, 12, 1, False),
        (5, 14, 1, False),
        (6, 16, 1, False),
        (7, 17, 0, True),
        (8, 18, 0, False),
    ]


def test_the_last_step_holds_the_whole_run(cut: list[Step]) -> None:
    assert cut[-1].messages == make_run()["messages"]


def test_an_answer_is_to_all_that_was_heard_since_the_last(cut: list[Step]) -> None:
    assert cut[6].heard == "Yes\nplease \u0000 \U0001f6eb"


def test_results_stand_under_call_ids_and_repeated_ids_are_numbered(
    cut: list[Step],
) -> None:
    assert list(cut[-1].tool_results) == [
        "call_1",
        "call_2",
        "call_1#2",
        "call_3",
        "call_4",
        "call_5",
    ]
    assert list(cut[0].tool_results) == ["call_1", "call_2"]
    assert cut[-1].tool_results["call_1#2"]["content"] == "Error: try again"


def test_arguments_that_are_no_json_are_kept_as_written(cut: list[Step]) -> None:
    assert cut[2].calls[0].arguments == {"unparsed": "{not JSON"}


def test_the_working_state_is_what_an_agent_would_keep(cut: list[Step]) -> None:
    state = cut[-1].state

    assert state["user"]["id"] == "ada_byron_1"
    assert state["user"]["name"] == "Ada Byron"
    assert state["reservations_seen"]["ABC123"]["status"] == "cancelled"
    assert state["reservations_changed"] == {
        "ABC123": [{"tool": "cancel_reservation", "step": 4}]
    }
    assert state["last_tool"]["name"] == "think"
    assert state["promised"] == [
        {"kind": "certificate", "amount": 50.0, "step": 7},
        {"kind": "refund", "amount": None, "step": 7},
    ]
    assert state["given"] == [{"certificate": "certificate_9", "amount": 50, "step": 5}]
    assert [step.state["status"] for step in cut] == [
        "working",
        "waiting_for_user",
        "tool_failed",
        "working",
        "working",
        "working",
        "waiting_for_user",
        "ended",
    ]


def test_a_failed_call_changes_no_reservation(cut: list[Step]) -> None:
    assert cut[2].state["last_tool"]["failed"] is True
    assert cut[2].state["reservations_changed"] == {}


def test_no_step_touches_the_state_of_another(tmp_path: Path) -> None:
    (run,) = runs.read(make_file(tmp_path, make_run()))
    when_made = [json.dumps(step.state) for step in steps(run)]

    afterwards = [json.dumps(step.state) for step in list(steps(run))]

    assert afterwards == when_made
    assert len(set(when_made)) == len(when_made)


def test_a_transferred_session_stays_transferred(tmp_path: Path) -> None:
    transfer = called(("c", "transfer_to_human_agents", {}, "Transfer successful"))
    bye = {"role": "user", "content": "Bye"}

    cut = cut_messages(tmp_path, *transfer, said("They will call."), bye)

    assert {step.state["status"] for step in cut} == {"transferred"}


def test_a_run_without_messages_has_no_steps(tmp_path: Path) -> None:
    assert cut_messages(tmp_path) == []
    assert working.initial()["step"] == 0


def test_a_tool_message_without_its_call_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MalformedRun, match="task-0-trial-0: message 0"):
        cut_messages(tmp_path, {"role": "tool", "tool_call_id": "c", "content": ""})


def test_only_as_many_runs_are_read_as_asked_for(tmp_path: Path) -> None:
    path = make_file(tmp_path, *(make_run(f"run-{number}") for number in range(3)))

    assert [run.name for run in runs.read(path, 2)] == ["run-0", "run-1"]
    assert (runs.count(path), runs.count(path, 2)) == (3, 2)


def test_an_edited_run_is_another_run(tmp_path: Path) -> None:
    path = make_file(tmp_path, make_run(), make_run(bonus=51), make_run())

    first, edited, again = runs.read(path)

    assert first.digest == again.digest != edited.digest


@pytest.mark.parametrize("line", ["{", "[]", '{"run": "r"}', "null"])
def test_a_line_that_is_no_run_is_named(line: str, tmp_path: Path) -> None:
    path = make_file(tmp_path, make_run())
    path.write_text(f"{path.read_text()}\n{line}\n")

    with pytest.raises(MalformedRun, match="line 3"):
        list(runs.read(path))
