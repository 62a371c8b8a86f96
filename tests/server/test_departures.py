"""Large answers: in pieces, as they are taken, and bounded in all."""

from __future__ import annotations

from typing import Any

import pytest

from apps.server.front import departures as module
from apps.server.front.departures import PIECE, STALL_SECONDS, Departures
from tests.server.running import Pending, Run


class Reader:
    """Takes the pieces of one answer when it is told to."""

    def __init__(self, departures: Departures, size: int) -> None:
        self.taken: list[bytes] = []
        self.is_ended = False
        self._waiting: Pending | None = None
        self.run = Run(departures.send(b"x" * size, self._send))

    def _send(self, message: dict[str, Any]) -> Pending:
        self.taken.append(message["body"])
        self.is_ended = not message["more_body"]
        self._waiting = Pending()
        return self._waiting

    def takes(self) -> None:
        assert self._waiting
        self._waiting.end()


def test_it_goes_in_pieces_as_they_are_taken() -> None:
    reader = Reader(Departures(), 2 * PIECE + 1)
    sizes = []
    while not reader.run.is_over:
        sizes.append(len(reader.taken[-1]))
        reader.takes()

    assert sizes == [PIECE, PIECE, 1]
    assert reader.is_ended


def test_when_they_are_too_much_who_took_nothing_for_longest_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    departures = Departures(untaken=10 * PIECE)
    readers = []
    for moment in (1.0, 2.0, 3.0):
        monkeypatch.setattr(module, "monotonic", lambda now=moment: now)
        readers.append(Reader(departures, 3 * PIECE))
    monkeypatch.setattr(module, "monotonic", lambda: 4.0)
    readers[0].takes()

    newest = Reader(departures, 3 * PIECE)

    over = [reader.run.is_over for reader in (*readers, newest)]
    assert over == [False, True, False, False]
    assert not readers[1].is_ended
    assert readers[1].run.error is None


def test_one_that_is_larger_than_all_may_be_goes_alone() -> None:
    departures = Departures(untaken=2 * PIECE)
    before = Reader(departures, 2 * PIECE)

    largest = Reader(departures, 5 * PIECE)
    while not largest.run.is_over:
        largest.takes()

    assert before.run.is_over
    assert not before.is_ended
    assert largest.is_ended


def test_a_reader_who_takes_nothing_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    departures = Departures()
    monkeypatch.setattr(module, "monotonic", lambda: 1.0)
    stalled, moving = (Reader(departures, 3 * PIECE) for _ in range(2))
    monkeypatch.setattr(module, "monotonic", lambda: STALL_SECONDS)
    moving.takes()

    departures.sweep(STALL_SECONDS + 1.5)

    assert (stalled.run.is_over, moving.run.is_over) == (True, False)


def test_what_was_taken_leaves_room_for_others() -> None:
    departures = Departures(untaken=4 * PIECE)
    for _ in range(3):
        reader = Reader(departures, 4 * PIECE)
        while not reader.run.is_over:
            reader.takes()
        assert reader.is_ended
