"""A tool call that fails again as it had failed before is flagged, and no other."""

from typing import Any

import pytest
from django.db import connection

from apps.core import json
from apps.diffs.compare import compare
from apps.timeline import verification
from apps.timeline.ledger.facts.repeating import (
    MOST_REWRITTEN,
    failures_repeated,
    repeats_failure,
)
from tests.acting import tampering
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db
FULL = "Error: not enough seats on flight HAT290"


def call(name: str = "book", call_id: str = "c1", **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments).decode()}
    told = {"id": call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [told]}


def answer(content: Any = FULL, call_id: str = "c1", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


def flags(run: Run) -> Any:
    return run.get("versions", run.head)["flags"]


FAILED = [call(seats=2), answer()]
STUCK = [*FAILED, *FAILED]


@pytest.fixture
def stuck(begin: Begin) -> Run:
    """An agent that keeps its messages beside its state, and fails twice alike."""
    run = begin({"n": 0}, messages=FAILED)
    run.patch({"n": 1}, messages=STUCK)
    return run


def test_the_same_call_failing_again_is_flagged(stuck: Run) -> None:
    assert flags(stuck) == ["repeated"]
    assert list(verification.findings(stuck.id)) == []


def test_it_is_flagged_once_and_not_with_every_later_version(stuck: Run) -> None:
    stuck.patch({"n": 2}, messages=[*STUCK, {"role": "user", "content": "Well?"}])
    assert flags(stuck) == []

    stuck.patch({"n": 3})
    assert flags(stuck) == []
    assert list(verification.findings(stuck.id)) == []


def test_a_rollback_and_its_undo_are_not_flagged(stuck: Run) -> None:
    stuck.rollback(0)
    assert flags(stuck) == []

    stuck.rollback(1)
    assert flags(stuck) == []
    assert list(verification.findings(stuck.id)) == []


def test_the_call_may_come_versions_before_its_answer(begin: Begin) -> None:
    run = begin({"n": 0}, messages=FAILED)
    run.patch({"n": 1}, messages=[*FAILED, call(seats=2)])
    assert flags(run) == []

    run.patch({"n": 2}, messages=STUCK)
    assert flags(run) == ["repeated"]


def test_messages_in_the_state_are_looked_at_alike(begin: Begin) -> None:
    run = begin({"messages": FAILED})

    run.patch({"messages": STUCK})
    assert flags(run) == ["repeated"]

    run.patch({"messages": [*STUCK, {"role": "user", "content": "Error: you"}]})
    assert flags(run) == []
    assert list(verification.findings(run.id)) == []


def test_in_a_batch_each_version_is_held_against_the_one_before(begin: Begin) -> None:
    run = begin({"n": 0})
    said = [{"messages": FAILED}, {}, {"messages": STUCK}]

    run.post(
        "versions",
        {"versions": [{"state": {"n": at}} | one for at, one in enumerate(said, 1)]},
    )

    found = [run.get("versions", number)["flags"] for number in (1, 2, 3)]
    assert found == [[], [], ["repeated"]]
    assert list(verification.findings(run.id)) == []


@pytest.mark.parametrize(
    "messages",
    [
        [*FAILED, call(seats=1), answer()],
        [*FAILED, call(seats=2), answer("Booked")],
        [*FAILED, call("cancel", seats=2), answer()],
        [call(seats=2), answer("Booked"), call(seats=2), answer()],
        [call(seats=2), answer("0 errors"), call(seats=2), answer("0 errors")],
        [call(seats=2), answer(), answer(), answer()],
        [*FAILED, answer(call_id="of nobody"), answer(call_id="of nobody")],
        [{"role": "user", "content": FULL}, {"role": "user", "content": FULL}],
        [{"tool_calls": {"c1": 1}}, {"tool_calls": [7]}, "Error:", None, answer()],
    ],
    ids=[
        "other arguments",
        "then it worked",
        "another tool",
        "it had worked",
        "no failure",
        "one call",
        "calls that were not told",
        "a person says so",
        "no messages",
    ],
)
def test_what_is_no_such_call_is_not_flagged(messages: list[Any]) -> None:
    assert failures_repeated(messages) == []


@pytest.mark.parametrize(
    "failed",
    [
        answer("ValueError: no seats"),
        answer(" ERROR: no seats"),
        answer([{"type": "text"}], status="error"),
        answer({"why": "full"}, is_error=True),
    ],
)
def test_a_failure_is_known_by_a_field_or_by_its_first_word(failed: Any) -> None:
    assert failures_repeated([call(), failed, call(), failed]) == [3]


def test_an_answer_is_of_the_newest_call_of_its_id() -> None:
    numbered_anew = [call(seats=2), answer(), call(seats=1), answer()]
    side_by_side = [call(call_id="a"), call(call_id="b"), *map(answer_of, "ab")]

    assert failures_repeated(numbered_anew) == []
    assert failures_repeated(side_by_side) == [3]


def answer_of(call_id: str) -> dict[str, Any]:
    return answer(call_id=call_id)


def test_a_conversation_that_was_rewritten_is_compared_as_a_whole() -> None:
    cut = [{"role": "system", "content": "…"}, *STUCK]
    long = {"role": "system", "content": "x" * MOST_REWRITTEN}

    assert is_told([{"role": "system", "content": "?"}, *FAILED], cut)
    assert not is_told([{"role": "system", "content": "?"}, *STUCK], cut)
    assert not is_told([long | {"name": "a"}, *FAILED], [long, *STUCK])
    assert is_told([long, *FAILED], [long, *STUCK])


def is_told(before: list[Any], after: list[Any]) -> bool:
    written = memoryview(json.dumps(before)), json.dumps(after)
    return repeats_failure(*written, compare({}, {}))


def test_a_version_from_before_it_was_looked_for_is_no_damage(stuck: Run) -> None:
    mark(stuck, "[]")
    assert damage(stuck) == []

    mark(stuck, '["repeated", "nulled"]')
    assert damage(stuck) == ["its flags are ['repeated', 'nulled']"]


def test_a_flag_that_nothing_bears_out_is_damage(begin: Begin) -> None:
    run = begin({"n": 0}, messages=FAILED)
    run.patch({"n": 1})
    mark(run, '["repeated"]')

    assert damage(run) == ["its flags are ['repeated']"]


def damage(run: Run) -> list[str]:
    """What is said of version 1; what is listed of it is not its own."""
    return [one.sentence for one in verification.findings(run.id) if one.number == 1]


def mark(run: Run, flags: str) -> None:
    with tampering("timeline_version"), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timeline_version SET flags = %s WHERE session_id = %s"
            " AND number = 1",
            [flags, run.id],
        )
