"""A terminal sees progress move, a log sees it now and then, and both see the end."""

from __future__ import annotations

import io
import threading
import time
from typing import Any

import pytest

from tests.replay import progress
from tests.replay.progress import Progress
from tests.replay.replaying import in_parallel


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_one_line_that_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "TERMINAL_SECONDS", 0.0)
    stream = Terminal()
    moving = Progress("posted", 2, stream)

    moving.advance()
    moving.advance()

    assert stream.getvalue() == ("\rposted 1 of 2 runs, 0 s\rposted 2 of 2 runs, 0 s\n")


def test_a_log_is_spared_but_told_the_end() -> None:
    stream = io.StringIO()
    logged = Progress("posted", 300, stream)

    for _ in range(300):
        logged.advance()

    assert stream.getvalue() == "posted 300 of 300 runs, 0 s\n"


def test_results_come_in_the_order_of_the_items() -> None:
    def slower_first(number: int) -> int:
        time.sleep(0.02 / (number + 1))
        return number

    assert list(in_parallel(range(20), slower_first, 4)) == list(range(20))


def test_few_items_are_read_ahead() -> None:
    read: list[int] = []

    def items() -> Any:
        for number in range(100):
            read.append(number)
            yield number

    results = in_parallel(items(), str, 2)

    assert next(results) == "0"
    assert len(read) == 4
    results.close()  # type: ignore[attr-defined]


def test_the_first_failure_stops_the_rest() -> None:
    begun: list[int] = []
    lock = threading.Lock()

    def fail_at_three(number: int) -> int:
        with lock:
            begun.append(number)
        if number == 3:
            raise ValueError(number)
        return number

    with pytest.raises(ValueError, match="3"):
        list(in_parallel(range(1000), fail_at_three, 2))

    assert len(begun) < 20
