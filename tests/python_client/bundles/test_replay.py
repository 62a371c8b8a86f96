"""A replay: tools answer from the record, and the first difference is told."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from stepback.bundles import (
    Difference,
    NoAgent,
    NoNetwork,
    NotRecorded,
    Replayed,
    read_bundle,
)
from stepback.bundles import replay as replayed
from stepback.checks import CheckRefused
from tests.python_client.bundles import made


@pytest.fixture
def bundle(tmp_path: Path) -> Any:
    return read_bundle(made.write(tmp_path / "run.bundle"))


def test_an_agent_that_does_as_was_recorded_passes(bundle: Any) -> None:
    found = replayed(bundle, made.agent)

    assert found == Replayed(None, None, (), (), made.STATES[-1])
    assert found.passed


def test_an_agent_may_return_its_last_state_or_change_the_one_it_got(
    bundle: Any,
) -> None:
    def returns(state: Any, run: Any) -> Any:
        *_, last = made.agent(state, run)
        return last

    def changes(state: Any, run: Any) -> None:
        state |= returns(state, run)

    assert replayed(bundle, returns).passed
    assert replayed(bundle, changes).passed


def test_an_agent_may_be_asynchronous(bundle: Any) -> None:
    async def yields(state: Any, run: Any) -> Any:
        seats = await run.acall("find_seats", {"flight": "SK 1"})
        yield {**state, "seats": seats}
        await run.acall("take_seat", seat=seats[0])
        yield {**state, "seats": seats, "seat": seats[0]}

    async def returns(state: Any, run: Any) -> Any:
        async for one in yields(state, run):
            state = one
        return state

    assert replayed(bundle, yields).passed
    assert replayed(bundle, returns).passed


def test_it_is_given_what_was_said(bundle: Any) -> None:
    said: list[Any] = []

    def listens(state: Any, run: Any) -> Any:
        said.extend([run.messages, run.reply()])
        yield from made.agent(state, run)
        with pytest.raises(NotRecorded):
            run.reply()

    assert replayed(bundle, listens).passed
    assert said == [made.MESSAGES[:1], made.MESSAGES[1]]


def test_another_tool_is_told_first_beside_the_one_recorded(bundle: Any) -> None:
    def changed(state: Any, run: Any) -> Any:
        run.call("find_seats", {"flight": "SK 1"})
        yield made.STATES[1]
        run.call("book_seat", {"seat": "12A"})

    found = replayed(bundle, changed)

    assert found.difference == Difference(
        kind="action",
        step=2,
        at="turn 2",
        recorded={"tool": "take_seat", "arguments": {"seat": "12A"}},
        now={"tool": "book_seat", "arguments": {"seat": "12A"}},
    )
    assert found.raised is not None
    assert "NotRecorded: The record has no such call: book_seat" in found.raised
    assert not found.passed


def test_other_arguments_are_told_by_their_place(bundle: Any) -> None:
    def changed(state: Any, run: Any) -> Any:
        run.call("find_seats", {"flight": "SK 2"})
        return state

    found = replayed(bundle, changed)

    assert found.difference is not None
    assert (found.difference.kind, found.difference.pointer) == ("arguments", "/flight")
    assert (found.difference.step, found.difference.at) == (1, "turn 1")


def test_another_state_is_told_by_its_place(bundle: Any) -> None:
    def changed(state: Any, run: Any) -> Any:
        for one in made.agent(state, run):
            yield {**one, "seats": [*one["seats"][:1], "15B"]}

    found = replayed(bundle, changed)

    assert found.difference == Difference("state", 1, "v1", "14C", "15B", "/seats/1")
    assert found.raised is None


def test_a_call_that_is_left_out_or_comes_too_often_is_told(bundle: Any) -> None:
    def stops(state: Any, run: Any) -> Any:
        yield {**state, "seats": run.call("find_seats", {"flight": "SK 1"})}

    def again(state: Any, run: Any) -> Any:
        yield from made.agent(state, run)
        run.call("take_seat", {"seat": "12A"})

    found, more = replayed(bundle, stops), replayed(bundle, again)

    assert found.difference is not None
    assert found.difference.recorded == {
        "tool": "take_seat",
        "arguments": {"seat": "12A"},
    }
    assert found.difference.now is None
    assert more.difference is not None
    assert more.difference.at == "the end of the record"
    assert "no further call" in str(more.raised)


def test_states_that_are_left_out_or_too_many_are_told(tmp_path: Path) -> None:
    bundle = read_bundle(made.write(tmp_path / "run.bundle", beside=[]))

    def some(state: Any, run: Any) -> Any:
        yield made.STATES[1]

    def more(state: Any, run: Any) -> Any:
        yield from [*made.STATES, made.STATES[0]]

    left_out, too_many = replayed(bundle, some), replayed(bundle, more)

    assert left_out.difference is not None
    assert (left_out.difference.step, left_out.difference.at) == (2, "v2")
    assert too_many.difference is not None
    assert too_many.difference.now == made.STATES[0]


def test_calls_in_another_order_are_answered_and_told(bundle: Any) -> None:
    def turned(state: Any, run: Any) -> Any:
        run.call("take_seat", {"seat": "12A"})
        run.call("find_seats", {"flight": "SK 1"})
        return made.STATES[-1]

    found = replayed(bundle, turned, ["state.seat=12A"])

    assert found.difference is not None
    assert found.difference.kind == "action"
    assert found.passed, "its check holds"


def test_the_checks_decide(tmp_path: Path) -> None:
    bundle = read_bundle(made.write(tmp_path / "run.bundle", ["there:state.seat"]))

    held = replayed(bundle, made.agent, ["state.seat=12A", "state.seat=was.seat"])
    failed = replayed(bundle, made.agent, ["state.seat=14C"])

    assert [outcome for _, outcome in held.checks] == ["holds", "holds", "fails"]
    assert [outcome for _, outcome in failed.checks] == ["holds", "fails"]
    assert not held.passed
    assert not failed.passed
    assert replayed(bundle, made.agent, ["size:was.seats=2"]).passed


def test_a_check_that_cannot_be_read_is_refused_before_the_agent_runs(
    bundle: Any,
) -> None:
    ran: list[int] = []

    with pytest.raises(CheckRefused):
        replayed(bundle, lambda state, run: ran.append(1), ["state.seat="])
    assert ran == []


def connects(address: Any) -> Any:
    def agent(state: Any, run: Any) -> Any:
        socket.create_connection(address, timeout=5)
        return state

    return agent


def test_the_network_is_cut_and_who_tries_is_named(bundle: Any) -> None:
    found = replayed(bundle, connects(("api.example.org", 443)))

    (tried,) = found.tried
    assert tried.address == "api.example.org:443"
    assert tried.at.startswith(f"{__file__}:")
    assert tried.at.endswith("in agent")
    assert str(found.raised).startswith("NoNetwork: A replay has no network: ")


def test_nobody_is_reached_in_any_way(bundle: Any, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def by_http(state: Any, run: Any) -> None:
            httpx.get(f"http://127.0.0.1:{port}/")

        def by_packet(state: Any, run: Any) -> None:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
                one.sendto(b"x", ("127.0.0.1", port))

        def by_thread(state: Any, run: Any) -> None:
            with ThreadPoolExecutor() as pool:
                pool.submit(by_packet, state, run).result()

        def by_name(state: Any, run: Any) -> None:
            socket.gethostbyname("example.org")

        def by_file(state: Any, run: Any) -> None:
            with socket.socket(socket.AF_UNIX) as one:
                one.connect(str(tmp_path / "socket"))

        async def by_loop(state: Any, run: Any) -> None:
            async with httpx.AsyncClient() as client:
                await client.get(f"http://localhost:{port}/")

        server.settimeout(0.1)
        ways = (by_http, by_packet, by_name, by_file, by_loop, by_thread)
        for agent in ways:
            found = replayed(bundle, agent)
            assert found.tried, agent
            assert "NoNetwork" in str(found.raised), agent
        with pytest.raises(TimeoutError):
            server.accept()


def test_who_swallows_the_error_is_told_of_all_the_same(bundle: Any) -> None:
    def hides(state: Any, run: Any) -> Any:
        with pytest.raises(NoNetwork):
            socket.create_connection(("127.0.0.1", 9), timeout=5)
        yield from made.agent(state, run)

    found = replayed(bundle, hides)

    assert found.passed
    assert [one.address for one in found.tried] == ["127.0.0.1:9"]


def test_the_network_is_there_again_afterwards(bundle: Any) -> None:
    replayed(bundle, connects(("127.0.0.1", 9)))

    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()


def test_what_an_agent_raises_is_told_with_its_line(bundle: Any) -> None:
    def breaks(state: Any, run: Any) -> Any:
        raise KeyError("seat")

    def leaves(state: Any, run: Any) -> Any:
        raise SystemExit(0)

    assert f"KeyError: 'seat' ({__file__}:" in str(replayed(bundle, breaks).raised)
    assert not replayed(bundle, leaves, ["there:state.flight"]).passed


@pytest.mark.parametrize("left", [{"a": {1, 2}}, {"a": float("nan")}, object()])
def test_a_state_that_is_no_json_is_told(bundle: Any, left: Any) -> None:
    found = replayed(bundle, lambda state, run: left)

    assert "a state that is no JSON" in str(found.raised)


def test_arguments_that_are_no_json_are_told(bundle: Any) -> None:
    found = replayed(bundle, lambda state, run: run.call("find_seats", a={1}))

    assert "Arguments of find_seats are no JSON" in str(found.raised)


def test_what_cannot_be_called_is_no_agent(bundle: Any) -> None:
    agent: Any = {"not": "an agent"}
    with pytest.raises(NoAgent):
        replayed(bundle, agent)


def test_an_agent_cannot_change_the_record(bundle: Any) -> None:
    def changes(state: Any, run: Any) -> Any:
        state["flight"] = "SK 9"
        run.call("find_seats", {"flight": "SK 1"}).clear()
        run.messages.clear()
        return state

    replayed(bundle, changes)

    assert replayed(bundle, made.agent).passed
