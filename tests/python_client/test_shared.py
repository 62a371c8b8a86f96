"""Our client shares documents, holds them in a block, and expects heartbeats."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from stepback import AsyncStepback, Stepback, errors
from tests.live import Server


@pytest.fixture
def name() -> str:
    return f"public/plan-{time.monotonic_ns()}"


@pytest.fixture
def sb(live: Server, secret: str) -> Iterator[Stepback]:
    with Stepback(secret, live.url) as client:
        yield client


def test_what_is_written_is_read_listed_and_gone_back_to(
    connect: Any, name: str
) -> None:
    sb = connect()
    made = sb.shared.update(name, {"goal": "Rome"}, "So it begins")
    lost = sb.shared.replace(name, {"goal": None}, expected_version=1)

    back = sb.shared.rollback(name, 1, "lost")

    assert (made.version, lost.version, back.version) == (1, 2, 3)
    assert sb.shared.get(name).state == {"goal": "Rome"}
    assert sb.shared.version(name, 2).raw["state"] == {"goal": None}
    assert [one.version for one in sb.shared.versions(name)] == [3, 2, 1, 0]
    assert [one.name for one in sb.shared.list(prefix=name)] == [name]


def test_a_lease_is_held_while_the_block_runs(sb: Stepback, name: str) -> None:
    with sb.shared.lease(name, "planner", seconds=30) as held:
        held.update({"by": "planner"})
        with pytest.raises(errors.Leased) as refused:
            sb.shared.update(name, {"by": "critic"})
        assert refused.value.holder == "planner"
        with (
            pytest.raises(errors.Leased),
            sb.shared.lease(name, "critic", wait=0.2),
        ):
            pytest.fail("Two hold it.")

    assert sb.shared.get(name).lease is None
    assert sb.shared.update(name, {"by": "critic"}).state == {"by": "critic"}


def test_it_is_renewed_for_as_long_as_the_block_takes(sb: Stepback, name: str) -> None:
    with sb.shared.lease(name, "planner", seconds=3) as held:
        time.sleep(4.5)
        with pytest.raises(errors.Leased):
            sb.shared.take_lease(name, "critic", 30)
        held.update({"by": "planner"})


def test_who_lost_it_writes_nothing(sb: Stepback, name: str) -> None:
    with sb.shared.lease(name, "planner", seconds=30) as held:
        sb.shared.release_lease(name, held.fence)
        sb.shared.take_lease(name, "critic", 30)
        with pytest.raises(errors.LeaseLost):
            held.update({"by": "planner"})

    assert sb.shared.get(name).state == {}


def test_who_waits_is_told_of_the_next_version(sb: Stepback, name: str) -> None:
    sb.shared.update(name, {"n": 1})
    writer = threading.Timer(0.5, lambda: sb.shared.update(name, {"n": 2}))
    writer.start()

    found = sb.shared.wait_for_newer(name, 1, seconds=20)
    writer.join(30)

    assert found.state == {"n": 2}


def test_the_asynchronous_client_holds_it_too(
    live: Server, secret: str, name: str
) -> None:
    async def hold() -> dict[str, Any]:
        async with (
            AsyncStepback(secret, live.url) as sb,
            sb.shared.lease(name, "planner", seconds=3) as held,
        ):
            await asyncio.sleep(3.5)
            await held.update({"by": "planner"})
            return (await held.get()).state

    assert asyncio.run(hold()) == {"by": "planner"}


def test_a_session_is_expected_to_write(connect: Any) -> None:
    sb = connect()
    session_id = sb.sessions.create("travel").id

    made = sb.heartbeats.expect(session_id, 60)

    assert made.every == 60
    assert sb.heartbeats.get(session_id) == made
    sb.heartbeats.stop(session_id)
    with pytest.raises(errors.HeartbeatNotFound):
        sb.heartbeats.get(session_id)
    with pytest.raises(errors.UnacceptableHeartbeat):
        sb.heartbeats.expect(session_id, 0)
