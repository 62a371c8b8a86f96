"""Work in the background rests where others wait for the processor, and only there."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from apps.core.processes import easing
from apps.core.processes.easing import LONGEST_SECONDS, REST, Ease


class Machine:
    """Tells a clock, and how long a thread has stood on it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.stood = 3.0
        self.rests: list[float] = []

    def ease(self) -> Ease:
        return Ease(lambda: self.stood, lambda: self.now, self.sleep)

    def sleep(self, seconds: float) -> None:
        self.rests.append(seconds)
        self.now += seconds

    def work(self, seconds: float, *, standing: float) -> None:
        self.now += seconds + standing
        self.stood += standing


def test_a_step_that_had_the_processor_to_itself_is_followed_by_the_next() -> None:
    machine = Machine()
    ease = machine.ease()

    machine.work(0.2, standing=0.01)
    ease.rest()

    assert machine.rests == []


def test_where_others_want_the_processor_a_twentieth_of_the_time_is_worked() -> None:
    machine = Machine()
    ease = machine.ease()

    for _ in range(3):
        machine.work(0.1, standing=0.1)
        ease.rest()

    assert machine.rests == pytest.approx([0.1 * REST] * 3)


def test_no_rest_is_longer_than_a_few_seconds() -> None:
    machine = Machine()
    ease = machine.ease()

    machine.work(9, standing=9)
    ease.rest()

    assert machine.rests == [LONGEST_SECONDS]


def test_where_the_kernel_does_not_tell_nobody_rests(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(easing, "_SCHEDULED", tmp_path / "nothing")

    assert easing.stood_seconds() == 0.0


@pytest.mark.skipif(not easing._SCHEDULED.exists(), reason="another kernel")
def test_a_thread_that_another_process_keeps_from_running_has_stood() -> None:
    mine = os.sched_getaffinity(0)
    place = {min(mine)}
    command = [sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(
        command, preexec_fn=lambda: os.sched_setaffinity(0, place)
    ) as other:
        os.sched_setaffinity(0, place)
        try:
            before, until = easing.stood_seconds(), time.monotonic() + 0.5
            while time.monotonic() < until:
                pass
            stood = easing.stood_seconds() - before
        finally:
            os.sched_setaffinity(0, mine)
            other.kill()

    assert stood > 0.05
