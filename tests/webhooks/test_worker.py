"""Worker processes deliver: whoever is killed, down, slow or wrong, nothing is lost."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.live import Server, serving
from tests.webhooks.receiver import Received, Receiver, assert_in_order
from tests.worker.processes import kill, rows, until, working

PRIVATE = {"STEPBACK_WEBHOOKS_PRIVATE": "true"}
# Nobody waits for pauses between attempts, or for the claims of who was killed.
# Waits for nobody: the worker takes several lanes at once, in an order of its own.
NOW = """
UPDATE webhooks_lane SET due_at = now() WHERE (subscription_id, stream_id) IN (
    SELECT subscription_id, stream_id FROM webhooks_lane FOR UPDATE SKIP LOCKED)
RETURNING 1
"""
RESTED = "UPDATE webhooks_subscription SET resting_until = NULL RETURNING 1"


@pytest.fixture(scope="module")
def house(worker_id: str) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEPBACK_WEBHOOKS_PRIVATE", "true")
        with serving(f"webhooks_{worker_id}", workers=1) as server:
            yield server


@pytest.fixture(scope="module")
def client(house: Server) -> Iterator[httpx.Client]:
    with house.client(house.key("told", "--scope", "admin")) as client:
        yield client


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver().up()
    yield made
    made.down()


@pytest.fixture
def hook(client: httpx.Client, receiver: Receiver) -> Iterator[dict[str, Any]]:
    """A webhook to the receiver, gone afterwards."""
    said = {"url": receiver.url, "events": ["version.created"]}
    made = client.post("/v1/webhooks", json=said)
    assert made.status_code == 201, made.text
    yield made.json()
    client.delete(f"/v1/webhooks/{made.json()['id']}")


def begin(client: httpx.Client) -> str:
    said = {"agent_id": "a", "initial_state": {}}
    return str(client.post("/v1/sessions", json=said).json()["id"])


def write(client: httpx.Client, session: str, times: int) -> None:
    for number in range(times):
        body = {"state": {"n": number}}
        answer = client.patch(f"/v1/sessions/{session}/state", json=body)
        assert answer.status_code == 200, answer.text


def hurry(house: Server) -> None:
    rows(house.dsn, RESTED)
    rows(house.dsn, NOW)


def assert_complete(receiver: Receiver, sessions: list[str], versions: int) -> None:
    """Assert that all was accepted, in order, under one id for each version."""
    accepted = receiver.accepted()
    expected = {(one, number) for one in sessions for number in range(versions)}

    assert {(one.stream, one.number) for one in accepted} == expected
    assert len(accepted) == len(expected)
    assert_in_order(accepted)
    ids: dict[tuple[str, int], set[str]] = {}
    for one in receiver.seen:
        ids.setdefault((one.stream, one.number), set()).add(one.id)
    assert all(len(same) == 1 for same in ids.values())


def test_a_receiver_that_is_down_slow_and_wrong_misses_nothing(
    house: Server, client: httpx.Client, receiver: Receiver, hook: Any, tmp_path: Path
) -> None:
    sessions = [begin(client) for _ in range(3)]
    receiver.down()
    log = tmp_path / "log"
    with working(house.dsn, log, **PRIVATE):
        for session in sessions:
            write(client, session, 2)
        until(lambda: attempts(client, hook) > 0, log.read_text())
        # It comes back: slowly, and wrong every other time.
        refused: dict[str, int] = {}

        def wrong_at_first(one: Received) -> int:
            refused[one.id] = refused.get(one.id, 0) + 1
            time.sleep(0.05)
            return 500 if refused[one.id] == 1 else 200

        receiver.answer = wrong_at_first
        receiver.up()
        for session in sessions:
            write(client, session, 2)

        def all_came() -> bool:
            hurry(house)
            return len(receiver.accepted()) >= 15

        until(all_came, log.read_text())

    assert_complete(receiver, sessions, 5)
    assert all(one.is_signed_with(hook["secret"]) for one in receiver.seen)
    assert {one.status for one in receiver.seen} == {200, 500}
    assert log.read_text() == ""


def attempts(client: httpx.Client, hook: Any) -> int:
    listed = client.get(f"/v1/webhooks/{hook['id']}/deliveries").json()["data"]
    return sum(one["attempts"] for one in listed)


def test_what_a_killed_worker_was_sending_is_sent_again(
    house: Server, client: httpx.Client, receiver: Receiver, hook: Any, tmp_path: Path
) -> None:
    session = begin(client)
    arrived, go_on = threading.Event(), threading.Event()

    def holding(_: Received) -> int:
        arrived.set()
        go_on.wait(60)
        return 200

    receiver.answer = holding
    log = tmp_path / "log"
    with working(house.dsn, log, **PRIVATE) as process:
        assert arrived.wait(90), log.read_text()
        kill(process)
    receiver.answer = lambda _: 200
    go_on.set()
    write(client, session, 3)
    assert_claimed(house, hook)

    with working(house.dsn, log, **PRIVATE):

        def all_came() -> bool:
            hurry(house)
            return len(delivered(client, hook)) == 4

        until(all_came, log.read_text())

    assert_complete(receiver, [session], 4)
    assert [one.number for one in receiver.seen].count(0) >= 2
    assert not rows(house.dsn, "SELECT 1 FROM webhooks_lane")


def assert_claimed(house: Server, hook: Any) -> None:
    """Assert that the lane is still the killed worker's, until its claim runs out."""
    query = "SELECT claim, due_at > now() FROM webhooks_lane WHERE subscription_id = %s"
    ((claim, is_later),) = rows(house.dsn, query, hook["id"])
    assert claim is not None
    assert is_later


def delivered(client: httpx.Client, hook: Any) -> list[Any]:
    path = f"/v1/webhooks/{hook['id']}/deliveries"
    listed = client.get(path, params={"status": "delivered", "limit": 100}).json()
    return list(listed["data"])


def test_two_workers_deliver_while_others_write_in_order(
    house: Server, client: httpx.Client, receiver: Receiver, hook: Any, tmp_path: Path
) -> None:
    sessions = [begin(client) for _ in range(6)]
    log = tmp_path / "log"
    with (
        working(house.dsn, log, **PRIVATE) as one,
        working(house.dsn, log, **PRIVATE),
        ThreadPoolExecutor(3) as pool,
    ):
        until(lambda: receiver.seen, log.read_text())
        work = [pool.submit(write, client, session, 15) for session in sessions]
        # One of them stops in order while the other goes on.
        until(lambda: len(receiver.accepted()) >= 30, log.read_text())
        one.terminate()
        for each in work:
            each.result()
        until(lambda: len(receiver.accepted()) >= 96, log.read_text())

    assert_complete(receiver, sessions, 16)
    assert log.read_text() == ""
