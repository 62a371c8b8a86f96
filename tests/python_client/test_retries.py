"""Calls that fail: what is repeated, under which key, and what is raised in the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from stepback import ConnectionFailed, Stepback, UnexpectedAnswer, calls, errors
from tests.live import Server, free_port
from tests.races.dropping_proxy import dropping


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "FIRST_PAUSE", 0.001)


@pytest.fixture
def proxied(live: Server, connect: Any) -> Iterator[Any]:
    """A client before whom every first answer to a write is lost."""
    with dropping(live.url, lambda key: "after" if key else None) as proxy:
        yield connect(base_url=proxy.url)


def test_a_lost_answer_is_asked_again_and_the_write_done_once(
    proxied: Any, sb: Any, agent_id: str
) -> None:
    made = proxied.sessions.create(agent_id=agent_id, initial_state={"n": 0})
    written = proxied.sessions.update_state(made.id, {"n": 1}, expected_version=0)
    turn = proxied.sessions.add_turn(made.id, "in", "out")
    back = proxied.sessions.rollback(made.id, 0, expected_version=written.version)
    fork = proxied.sessions.fork(made.id, 1)

    assert [one.id for one in sb.sessions.list(agent_id=agent_id).data] == [
        fork.id,
        made.id,
    ]
    assert (written.version, turn.turn_number, back.version) == (1, 1, 2)
    assert sb.sessions.get(made.id).version == 2


def test_without_repetition_the_key_is_told_so_that_it_can_be_repeated(
    live: Server, connect: Any, sb: Any, session: Any
) -> None:
    with dropping(live.url, lambda key: "after" if key else None) as proxy:
        once = connect(base_url=proxy.url, retries=0)
        with pytest.raises(ConnectionFailed) as caught:
            once.sessions.update_state(session.id, {"n": 6})

    key = caught.value.idempotency_key
    again = sb.sessions.update_state(session.id, {"n": 6}, idempotency_key=key)
    assert again.version == 6
    assert sb.sessions.get(session.id).version == 6


def test_a_server_that_is_not_there_raises_also_for_reads(connect: Any) -> None:
    nobody = connect(base_url=f"http://127.0.0.1:{free_port()}", retries=1)

    for read in (nobody.sessions.get_state, nobody.sessions.get_context):
        with pytest.raises(ConnectionFailed):
            read("sess_x")


class Script:
    """A network that answers what it is told, one answer after the other."""

    def __init__(self, *answers: httpx.Response) -> None:
        self.answers = list(answers)
        self.keys: list[str | None] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers.get("Idempotency-Key"))
        return self.answers.pop(0)

    def client(self, **options: Any) -> Stepback:
        transport = httpx.MockTransport(self)
        http = httpx.Client(base_url="http://test", transport=transport)
        return Stepback("sb_key", http_client=http, **options)


def refusal(status: int, code: str, **told: Any) -> httpx.Response:
    about = {"code": code, "message": "No.", "param": None, "request_id": "req_1"}
    return httpx.Response(status, json={"error": about | told})


STATE = httpx.Response(
    200,
    json={
        "session_id": "s",
        "version": 1,
        "state": {},
        "updated_at": "t",
        "trace_id": "x",
        "hold": "open",
    },
)


@pytest.mark.parametrize(
    ("status", "code"),
    [(429, "rate_limit_exceeded"), (503, "service_unavailable")],
)
def test_what_passes_is_tried_again_under_one_key(status: int, code: str) -> None:
    script = Script(refusal(status, code), refusal(status, code), STATE)

    assert script.client().sessions.update_state("s", {}).version == 1
    assert len(set(script.keys)) == 1
    assert script.keys[0]


def test_two_writes_have_two_keys() -> None:
    script = Script(STATE, STATE)
    client = script.client()

    client.sessions.update_state("s", {})
    client.sessions.update_state("s", {})

    assert len(set(script.keys)) == 2


def test_reads_are_tried_again_without_a_key() -> None:
    script = Script(refusal(503, "service_unavailable"), STATE)

    script.client().sessions.get_state("s")

    assert script.keys == [None, None]


def test_what_does_not_pass_is_raised_at_once() -> None:
    script = Script(refusal(500, "internal_error"))

    with pytest.raises(errors.InternalError) as caught:
        script.client().sessions.update_state("s", {})

    assert (caught.value.status, caught.value.request_id) == (500, "req_1")
    assert len(script.keys) == 1


def test_the_last_refusal_is_raised() -> None:
    script = Script(*[refusal(429, "rate_limit_exceeded", retry_after=0)] * 3)

    with pytest.raises(errors.RateLimitExceeded):
        script.client(retries=2).sessions.get_state("s")

    assert len(script.keys) == 3


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (refusal(503, "service_unavailable"), errors.ServiceUnavailable),
        (refusal(429, "rate_limit_exceeded"), errors.RateLimitExceeded),
        (httpx.Response(502, text="nginx"), UnexpectedAnswer),
    ],
)
def test_a_write_that_is_refused_to_the_end_tells_its_key(
    answer: httpx.Response, error: type[errors.StepbackError]
) -> None:
    # The first was stored, and its answer lost: a second key would store it twice.
    script = Script(*[answer] * 3, STATE)
    client = script.client(retries=2)

    with pytest.raises(error) as caught:
        client.sessions.update_state("s", {})
    key = caught.value.idempotency_key
    client.sessions.update_state("s", {}, idempotency_key=key)

    assert script.keys == [key] * 4
    assert key is not None


def test_the_servers_word_on_when_to_come_back_is_heard() -> None:
    told = httpx.Response(503, headers={"Retry-After": "7"})

    assert calls.pause_before(1, told) == 7
    # What may be left of the minute of a rate limit, and no more.
    for asked, heard in (("43", 43), ("60", 60), ("3600", 60)):
        told = httpx.Response(429, headers={"Retry-After": asked})
        assert calls.pause_before(1, told) == heard
    assert calls.pause_before(1, None) < 1


def test_a_code_of_a_newer_server_is_an_api_error() -> None:
    script = Script(refusal(409, "never_heard_of", why=3))

    with pytest.raises(errors.ApiError) as caught:
        script.client().sessions.get_state("s")

    assert (caught.value.code, caught.value.details) == ("never_heard_of", {"why": 3})


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json={"session_id": "s"}),
        httpx.Response(200, json=[]),
        httpx.Response(404, text="nginx"),
    ],
)
def test_an_answer_that_is_none_is_no_empty_state(answer: httpx.Response) -> None:
    with pytest.raises(UnexpectedAnswer):
        Script(answer).client().sessions.get_state("s")


@pytest.mark.parametrize(
    "told", [{}, [], {"data": 5, "has_more": False}, {"data": [{}], "has_more": False}]
)
def test_an_answer_of_something_else_is_no_page_and_no_files(
    tmp_path: Path, told: Any
) -> None:
    client = Script(*[httpx.Response(200, json=told) for _ in range(3)]).client()

    for ask in (
        client.sessions.list,
        lambda: client.save_files("s", tmp_path),
        lambda: client.restore_files("s", tmp_path, 1),
    ):
        (tmp_path / "file").touch()
        with pytest.raises(UnexpectedAnswer):
            ask()


def test_an_answer_that_cannot_be_unpacked_is_asked_for_again_under_its_key() -> None:
    packed = {"Content-Encoding": "gzip"}
    broken = [httpx.Response(200, headers=packed, stream=Bytes()) for _ in range(3)]

    with pytest.raises(ConnectionFailed, match="DecodingError") as caught:
        Script(*broken[:1]).client(retries=0).sessions.update_state("s", {})
    assert caught.value.idempotency_key is not None

    script = Script(*broken[1:], STATE)
    assert script.client().sessions.update_state("s", {}).version == 1
    assert len(set(script.keys)) == 1


class Bytes(httpx.SyncByteStream):
    """What calls itself packed, and is not."""

    def __iter__(self) -> Iterator[bytes]:
        yield b"not packed"


def test_the_address_that_is_given_counts_with_a_client_of_ones_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STEPBACK_URL", "http://environment")
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(200, json={})

    for own, given in (("", None), ("", "http://given"), ("http://own", None)):
        http = httpx.Client(base_url=own, transport=httpx.MockTransport(answer))
        Stepback("sb_key", given, http_client=http).health()
    http = httpx.Client(base_url="http://own", transport=httpx.MockTransport(answer))
    Stepback("sb_key", "http://given/below", http_client=http).health()

    assert asked == [
        "http://environment/health",
        "http://given/health",
        "http://own/health",
        "http://given/below/health",
    ]


def test_what_a_call_does_not_take_is_no_silence() -> None:
    script = Script(httpx.Response(204))
    client = script.client()

    with pytest.raises(TypeError, match="reasoning"):
        client.memory.delete("mem_1", reasoning="wrong")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="agent"):
        client.metrics.summary(agent="travel-agent")  # type: ignore[call-arg]
    client.memory.delete("mem_1", idempotency_key="once")

    assert script.keys == ["once"]


def test_fewer_tries_than_one_are_refused() -> None:
    with pytest.raises(ValueError, match="retries"):
        Stepback("sb_key", retries=-1)


def test_a_key_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEPBACK_API_KEY", raising=False)
    with pytest.raises(ValueError, match="STEPBACK_API_KEY"):
        Stepback()

    monkeypatch.setenv("STEPBACK_API_KEY", "sb_key")
    monkeypatch.setenv("STEPBACK_URL", "http://elsewhere")
    with Stepback() as client:
        assert client.base_url == "http://elsewhere"
