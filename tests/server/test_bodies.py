"""Bodies in pieces: whole or refused, and not waited for longer than they may take."""

from __future__ import annotations

from typing import Any

import pytest

from apps.core.errors import Busy, InvalidRequest, PayloadTooLarge
from apps.server.front import bodies
from apps.server.front.bodies import (
    HURRIED_SECONDS,
    LEAST_RATE,
    SMALL_BYTES,
    START_SECONDS,
    Arrival,
    Bodies,
    RequestTimeout,
)
from tests.server.running import Run, Sender

LARGEST = 4 * 1024 * 1024
MIB = 1024 * 1024


class Upload:
    """One body on its way to all bodies."""

    def __init__(
        self,
        every: Bodies,
        length: int | None,
        *,
        most: int = LARGEST,
        share: str = "a",
    ) -> None:
        self.all = every
        self.sender = Sender()
        self.arrival = Arrival(self.sender, length=length, most=most, share=share)
        self.run = Run(every.receive(self.arrival))

    @property
    def error(self) -> Any:
        return self.run.error

    def leave(self) -> None:
        self.all.leave(self.arrival)


@pytest.fixture
def every() -> Bodies:
    return Bodies(largest=LARGEST)


def test_a_body_that_came_at_once_is_passed_on_as_it_is(every: Bodies) -> None:
    upload = Upload(every, 5)
    body = b"whole"

    upload.sender.sends(body)

    assert upload.run.value is body
    assert upload.sender.asked == 1


def test_pieces_are_put_together(every: Bodies) -> None:
    upload = Upload(every, 6)
    for piece in (b"ab", b"cd", b"ef"):
        assert not upload.run.is_over
        upload.sender.sends(piece)

    assert upload.run.value == b"abcdef"


def test_chunks_end_with_the_last(every: Bodies) -> None:
    upload = Upload(every, None)
    upload.sender.sends(b"ab")
    upload.sender.sends(b"cd")
    assert not upload.run.is_over

    upload.sender.sends(b"", more=False)

    assert upload.run.value == b"abcd"


def test_no_chunks_are_an_empty_body(every: Bodies) -> None:
    upload = Upload(every, None)
    upload.sender.sends(b"", more=False)
    assert upload.run.value == b""


@pytest.mark.parametrize("length", [10, None])
def test_a_cut_connection_makes_no_body(every: Bodies, length: int | None) -> None:
    upload = Upload(every, length)
    upload.sender.sends(b"half")

    upload.sender.is_cut()

    assert isinstance(upload.error, InvalidRequest)


def test_a_body_that_ends_before_its_length_is_not_taken(every: Bodies) -> None:
    upload = Upload(every, 10)

    upload.sender.sends(b"half", more=False)

    assert isinstance(upload.error, InvalidRequest)


def test_a_length_beyond_the_limit_is_refused_before_a_byte_is_read(
    every: Bodies,
) -> None:
    upload = Upload(every, 11, most=10)

    assert isinstance(upload.error, PayloadTooLarge)
    assert upload.error.details == {"limit": 10}
    assert upload.sender.asked == 0


def test_chunks_are_refused_once_they_exceed_the_limit(every: Bodies) -> None:
    upload = Upload(every, None, most=10)
    upload.sender.sends(b"x" * 10)
    assert not upload.run.is_over

    upload.sender.sends(b"x")

    assert isinstance(upload.error, PayloadTooLarge)


# Slow ones


@pytest.mark.parametrize("length", [10, None])
def test_a_body_that_does_not_come_is_refused_in_time(
    every: Bodies, length: int | None
) -> None:
    upload = Upload(every, length)
    began = upload.arrival.began

    every.sweep(began + START_SECONDS)
    assert not upload.run.is_over
    every.sweep(began + START_SECONDS + 0.1)

    assert isinstance(upload.error, RequestTimeout)


def test_drips_do_not_gain_time(every: Bodies) -> None:
    upload = Upload(every, 1000)
    for _ in range(20):
        upload.sender.sends(b"x")

    every.sweep(upload.arrival.began + START_SECONDS + 0.1)

    assert isinstance(upload.error, RequestTimeout)


def test_what_comes_at_the_least_rate_may_take_long(every: Bodies) -> None:
    upload = Upload(every, 30 * LEAST_RATE, most=LARGEST)
    began = upload.arrival.began

    for second in range(30):
        every.sweep(began + START_SECONDS + second)
        upload.sender.sends(b"x" * LEAST_RATE)

    assert len(upload.run.value) == 30 * LEAST_RATE


def test_who_is_refused_between_two_pieces_is_refused_with_the_next(
    every: Bodies,
) -> None:
    upload = Upload(every, 2)
    upload.arrival._refusal = RequestTimeout()

    upload.sender.sends(b"x")

    assert isinstance(upload.error, RequestTimeout)


def test_small_ones_that_are_too_much_together_go_in_the_order_they_came(
    every: Bodies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "UNFINISHED_BYTES", 25)
    uploads = [Upload(every, 100) for _ in range(4)]
    for upload in uploads:
        upload.sender.sends(b"x" * 10)

    every.sweep(uploads[0].arrival.began)

    assert [type(one.error) for one in uploads] == [
        RequestTimeout,
        RequestTimeout,
        type(None),
        type(None),
    ]


def test_all_are_refused_when_the_process_stops(every: Bodies) -> None:
    holding, waiting = Upload(every, LARGEST), Upload(every, LARGEST)
    small = Upload(every, 10)

    every.stop()

    for upload in (holding, small):
        assert isinstance(upload.error, Busy)
    # What it sends is still taken, so that it reads why it was refused.
    waiting.sender.sends(b"x" * LARGEST)
    assert isinstance(waiting.error, Busy)


# Large ones


def test_a_large_one_is_not_read_before_there_is_room(every: Bodies) -> None:
    first, second = Upload(every, LARGEST), Upload(every, SMALL_BYTES + 1)
    assert (first.sender.asked, second.sender.asked) == (1, 0)

    first.sender.sends(b"x" * LARGEST)
    assert second.sender.asked == 0
    first.leave()

    second.sender.sends(b"y" * (SMALL_BYTES + 1))
    assert len(second.run.value) == SMALL_BYTES + 1


def test_a_small_one_needs_no_room(every: Bodies) -> None:
    Upload(every, LARGEST)

    small = Upload(every, SMALL_BYTES)

    assert small.sender.asked == 1


def test_another_share_has_room_beside_one_that_takes_all_it_may(every: Bodies) -> None:
    for _ in range(20):
        Upload(every, LARGEST, share="greedy")

    other = Upload(every, LARGEST, share="other")

    assert other.sender.asked == 1


def test_chunks_take_room_as_they_turn_out_to_be_large(every: Bodies) -> None:
    upload = Upload(every, None)
    rooms = []
    for size in (SMALL_BYTES, 1, MIB):
        upload.sender.sends(b"x" * size)
        rooms.append(upload.arrival.room)
    upload.leave()

    assert rooms == [0, MIB, LARGEST]
    assert Upload(every, LARGEST).sender.asked == 1


def test_who_waits_for_room_is_not_late(
    every: Bodies, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Upload(every, LARGEST), Upload(every, LARGEST)
    later = second.arrival.began + 9.9

    monkeypatch.setattr(bodies, "monotonic", lambda: later)
    first.leave()
    every.sweep(later + 9.9)

    assert not second.run.is_over


def test_who_finds_no_room_is_heard_to_the_end_and_told_to_retry(
    every: Bodies, monkeypatch: pytest.MonkeyPatch
) -> None:
    Upload(every, LARGEST)
    upload = Upload(every, 3 * MIB)
    later = upload.arrival.began + 10.1

    monkeypatch.setattr(bodies, "monotonic", lambda: later)
    every.sweep(later)
    for _ in range(3):
        assert not upload.run.is_over
        upload.sender.sends(b"x" * MIB)

    assert isinstance(upload.error, Busy)
    assert upload.arrival.unfinished == 0


def test_a_slow_one_gives_its_room_to_those_who_wait(every: Bodies) -> None:
    slow, waiting = Upload(every, LARGEST), Upload(every, LARGEST)
    slow.sender.sends(b"x")

    every.sweep(slow.arrival.began + HURRIED_SECONDS + 0.1)
    assert isinstance(slow.error, RequestTimeout)
    slow.leave()

    assert waiting.sender.asked == 1


def test_a_slow_one_that_is_in_nobodys_way_goes_on(every: Bodies) -> None:
    slow = Upload(every, LARGEST)

    every.sweep(slow.arrival.began + HURRIED_SECONDS + 0.1)

    assert not slow.run.is_over
