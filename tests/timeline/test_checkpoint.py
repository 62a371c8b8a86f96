"""The whole bundle to resume from, at the head or at any version."""

from typing import Any

import pytest

from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db
PARTS = ["state", "messages", "tool_results", "model_params", "tasks", "artifacts"]


@pytest.fixture
def resumed(begin: Begin) -> Run:
    """A session whose four versions differ in every part."""
    run = begin(
        {"n": 0},
        messages=["0"],
        tool_results={"c": 0},
        model_params={"seed": 0},
        tasks=[0],
        artifacts=[{"uri": "0"}],
    )
    for n in range(1, 4):
        run.patch(
            {"n": n},
            messages=[str(m) for m in range(n + 1)],
            tool_results={"c": n},
            model_params={"seed": n},
            tasks=[n],
            artifacts=[{"uri": str(n)}],
            step_number=n,
        )
    return run


def parts(checkpoint: Any) -> Any:
    return [checkpoint[name] for name in PARTS]


def bundle(n: Any) -> Any:
    return [
        {"n": n},
        [str(m) for m in range(n + 1)],
        {"c": n},
        {"seed": n},
        [n],
        [{"uri": str(n)}],
    ]


def test_it_gives_all_parts_of_the_head(resumed: Run) -> None:
    answer = resumed.client.get(resumed.path("checkpoint"))

    assert answer.headers["ETag"] == '"v3"'
    assert answer.body["object"] == "checkpoint"
    assert answer.body["version"] == 3
    assert answer.body["step_number"] == 3
    assert answer.body["hold"] == "open"
    assert parts(answer.body) == bundle(3)


@pytest.mark.parametrize(("number", "expected"), [(0, 0), (2, 2), (-1, 2), (-3, 0)])
def test_it_gives_all_parts_of_any_version(
    resumed: Run, number: Any, expected: Any
) -> None:
    checkpoint = resumed.get("checkpoint", version=number)

    assert checkpoint["version"] == expected
    assert parts(checkpoint) == bundle(expected)


def test_a_rollback_restores_all_parts_together(resumed: Run) -> None:
    resumed.rollback(1)

    checkpoint = resumed.get("checkpoint")

    assert checkpoint["version"] == 4
    assert parts(checkpoint) == bundle(1)


def test_a_write_after_a_rollback_carries_the_restored_parts(resumed: Run) -> None:
    resumed.rollback(1)
    resumed.patch({"n": 9})

    assert parts(resumed.get("checkpoint"))[1:] == bundle(1)[1:]


def test_a_fork_has_all_parts(resumed: Run) -> None:
    fork = resumed.fork(version=2)

    assert parts(fork.get("checkpoint")) == bundle(2)


def test_parts_never_written_are_null(run: Run) -> None:
    assert parts(run.get("checkpoint")) == [{"step": 2, "city": "NYC"}, *[None] * 5]


def test_empty_parts_are_empty(begin: Begin) -> None:
    run = begin(messages=[], tool_results={})

    assert parts(run.get("checkpoint"))[:3] == [{}, [], {}]


@pytest.mark.parametrize("number", [3, 99, -3])
def test_a_version_that_is_not_there_is_not_found(run: Run, number: Any) -> None:
    answer = run.client.get(run.path("checkpoint"), {"version": number})

    assert_refused(answer, 404, "version_not_found", "version")


@pytest.mark.parametrize("number", ["head", "1.0", "", str(2**63), "-99999999999"])
def test_what_is_no_version_number_is_refused(run: Run, number: Any) -> None:
    answer = run.client.get(run.path("checkpoint"), {"version": number})

    assert_refused(answer, 400, "invalid_request", "version")
