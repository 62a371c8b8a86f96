"""Large states behind small requests: they pass the gate, before anything is stored."""

from collections.abc import Iterator
from typing import Any

import pytest

from apps.core.admission.gate import GATED_BYTES, Gate
from apps.core.http import ApiView
from apps.timeline.models import Version
from tests.conftest import Answer
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db
LARGE = {"text": "x" * GATED_BYTES}
HALF = "x" * (GATED_BYTES * 2 // 3)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    """The gate of all views, which gives up at once."""
    one = Gate(permits=1, seconds=0.01)
    monkeypatch.setattr(ApiView, "gate", one)
    return one


@pytest.fixture
def large(begin: Begin, gate: Gate) -> Run:
    """Versions 0 and 2 are large, 1 is small."""
    made = begin(LARGE)
    made.put({"step": 1})
    made.put(LARGE | {"step": 2})
    return made


@pytest.fixture
def shrunk(large: Run) -> Run:
    """As `large`, with a small head."""
    large.put({"step": 3})
    return large


@pytest.fixture
def taken(gate: Gate) -> Iterator[None]:
    """Somebody else is inside."""
    with gate.hold():
        yield


def send(run: Run, method: str, path: str, body: Any = None) -> Answer:
    if method == "GET":
        return run.client.get(run.path(path))
    return run.client.send(method, run.path(path), body)


def assert_told_to_retry(answer: Answer) -> None:
    assert (answer.status, answer.code) == (503, "service_unavailable")
    assert answer.headers["Retry-After"] == "5"


REQUESTS: list[tuple[str, str, Any]] = [
    ("GET", "state", None),
    ("GET", "versions/0", None),
    ("GET", "checkpoint", None),
    ("GET", "verify", None),
    ("PATCH", "state", b'{"state": {"step": 9}}'),
    ("PUT", "state", b'{"state": {"step": 9}}'),
    ("POST", "rollback", b'{"version": 1}'),
    ("POST", "rollback", b'{"version": 0}'),
    ("POST", "fork", b'{"version": 0}'),
    ("POST", "versions", b'{"versions": [{"state": {"step": 9}}]}'),
]


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
def test_a_small_request_waits_where_it_needs_a_large_state(
    large: Run, taken: None, method: str, path: str, body: Any
) -> None:
    before = Version.objects.count()

    answer = send(large, method, path, body)

    assert_told_to_retry(answer)
    assert Version.objects.count() == before


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
def test_it_goes_through_when_nobody_is_inside(
    large: Run, method: str, path: str, body: Any
) -> None:
    assert send(large, method, path, body).status < 300


def test_the_target_of_a_rollback_counts_as_its_head_does(
    shrunk: Run, taken: None
) -> None:
    before = Version.objects.count()

    answer = send(shrunk, "POST", "rollback", b'{"version": 0}')

    assert_told_to_retry(answer)
    assert Version.objects.count() == before


def test_small_sessions_are_not_held_up(run: Run, taken: None, gate: Gate) -> None:
    run.patch({"step": 5})
    run.rollback(0)

    assert run.state == {"step": 0, "city": "Rome"}


def test_two_that_are_small_and_make_a_large_one_wait_before_it_is_stored(
    begin: Begin, gate: Gate
) -> None:
    run = begin({"one": HALF})
    body = b'{"state": {"two": "' + HALF.encode() + b'"}}'

    with gate.hold():
        refused = send(run, "PATCH", "state", body)
    stored = send(run, "PATCH", "state", body)

    assert_told_to_retry(refused)
    assert (stored.status, stored.body["version"]) == (200, 1)
    assert stored.body["state"] == {"one": HALF, "two": HALF}


def test_a_retry_with_the_same_key_is_done_once(large: Run, gate: Gate) -> None:
    key = {"Idempotency-Key": "again"}
    path, body = large.path("rollback"), b'{"version": 1}'

    with gate.hold():
        refused = large.client.send("POST", path, body, key)
    stored = large.client.send("POST", path, body, key)
    replayed = large.client.send("POST", path, body, key)

    assert_told_to_retry(refused)
    assert stored.body["version"] == replayed.body["version"] == 3
    assert replayed.headers["Idempotent-Replayed"] == "true"
