"""`Prefer: return=minimal`: what a write made, without the state that it made."""

from typing import Any

import pytest

from tests.conftest import Answer
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db
MINIMAL = "return=minimal"
WRITES: list[tuple[str, str, bytes]] = [
    ("PATCH", "state", b'{"state": {"step": 3}}'),
    ("PUT", "state", b'{"state": {"step": 3}}'),
    ("POST", "state", b'{"state": {"step": 3}}'),
    ("POST", "rollback", b'{"version": 0}'),
    ("POST", "state/rollback", b'{"version": 0}'),
]


def write(run: Run, write: tuple[str, str, bytes], **headers: str) -> Answer:
    method, path, body = write
    return run.client.send(method, run.path(path), body, headers)


@pytest.mark.parametrize("asked", WRITES)
def test_all_but_the_state_is_answered(run: Run, asked: Any) -> None:
    answer = write(run, asked, Prefer=MINIMAL)
    whole = write(run, asked)

    assert (answer.status, answer.headers["ETag"]) == (200, '"v3"')
    assert answer.headers["Preference-Applied"] == MINIMAL
    assert answer.body.keys() == whole.body.keys() - {"state", "data"}
    assert answer.body["version"] == 3
    assert "Preference-Applied" not in whole.headers
    assert whole.body["state"] == whole.body["data"] == run.state


@pytest.mark.parametrize(
    "preference",
    ['Return="minimal"', "respond-async, return=minimal; x=1", "RETURN = MINIMAL"],
)
def test_it_may_be_written_otherwise(run: Run, preference: str) -> None:
    assert "state" not in write(run, WRITES[0], Prefer=preference).body


@pytest.mark.parametrize(
    "preference",
    [
        "",
        "return=representation",
        "minimal",
        "return=representation, " + MINIMAL,
        "=,;",
    ],
)
def test_what_does_not_ask_for_it_is_ignored(run: Run, preference: str) -> None:
    answer = write(run, WRITES[0], Prefer=preference)

    assert answer.body["state"] == {"step": 3, "city": "NYC"}
    assert "Preference-Applied" not in answer.headers


def test_a_replay_may_be_minimal_where_the_first_answer_was_not(run: Run) -> None:
    key = {"Idempotency-Key": "once"}

    first = write(run, WRITES[0], **key)
    again = write(run, WRITES[0], **key, Prefer=MINIMAL)

    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.body == {
        name: value
        for name, value in first.body.items()
        if name not in ("state", "data")
    }


def test_an_error_says_all_it_has_to_say(run: Run) -> None:
    answer = run.client.send(
        "PATCH",
        run.path("state"),
        b'{"state": {"a": 1}, "expected_version": 0}',
        {"Prefer": MINIMAL},
    )

    assert (answer.status, answer.code) == (409, "version_conflict")
    assert answer.body["error"]["head"] == 2
