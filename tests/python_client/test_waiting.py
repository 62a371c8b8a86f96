"""Waiting for something by many requests, each of which the server lets wait."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from stepback import Stepback, waiting
from stepback.errors import ApiError
from stepback.waiting import Rounds


class Clock:
    """A clock that a test moves on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(waiting.time, "monotonic", lambda: self.now)


def test_who_is_sent_away_comes_back_later_and_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, pauses = Clock(monkeypatch), []
    rounds = Rounds(600, read_timeout=30)

    for _ in range(6):
        assert rounds.begin() == 25
        pauses.append(rounds.pause())
        clock.now += pauses[-1]
    assert pauses == [2, 4, 8, 16, 30, 30]

    # One that was let wait comes back at once, and the next is as the first was.
    rounds.begin()
    clock.now += 25
    assert rounds.pause() == 0
    rounds.begin()
    assert rounds.pause() == 2


def test_nobody_waits_longer_than_he_said(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    rounds = Rounds(3, read_timeout=30)

    assert (rounds.begin(), rounds.pause(), rounds.is_over) == (3, 2, False)
    clock.now += 2
    assert (rounds.begin(), rounds.pause(), rounds.is_over) == (1, 1, False)
    clock.now += 1
    assert (rounds.begin(), rounds.is_over) == (0, True)


@pytest.mark.parametrize(
    ("timeout", "asked"), [(None, "25"), (30.0, "25"), (10.0, "5"), (5.0, "0")]
)
def test_what_is_asked_for_is_answered_before_its_reader_gives_up(
    timeout: float | None, asked: str
) -> None:
    waits: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        waits.append(request.url.params["wait"])
        return httpx.Response(404, json={"error": {"code": "x", "message": "No."}})

    http = httpx.Client(
        base_url="http://test", timeout=timeout, transport=httpx.MockTransport(answer)
    )
    client = Stepback("sb_key", http_client=http)
    for wait in (
        lambda: client.approvals.wait_for_approval("appr_1", seconds=60),
        lambda: client.shared.wait_for_newer("public/plan", 1, seconds=60),
    ):
        with pytest.raises(ApiError):
            wait()

    assert waits == [asked] * 2
