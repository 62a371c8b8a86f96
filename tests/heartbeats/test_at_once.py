"""Two sweeps at once tell once, and so do sweeps that are killed and taken up again."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.audit.models import Event
from apps.heartbeats.models import Heartbeat
from apps.heartbeats.operations import sweeping
from tests.heartbeats.beating import expect, sweep_at, told
from tests.timeline import runs

pytestmark = pytest.mark.django_db(transaction=True)
SESSIONS = 12
# How many are stored together, and after at most how many more looks one is killed.
EXPECTED, AT_ONCE, KILLS, MOST_LOOKS = 40, 3, 8, 9


def test_two_sweeps_at_once_tell_once(api: runs.Clients) -> None:
    every = [runs.begin(api()) for _ in range(SESSIONS)]
    for one in every:
        expect(one, 60)
    barrier = threading.Barrier(2)
    now = timezone.now() + timedelta(seconds=61)

    def work(_: int) -> int:
        barrier.wait(30)
        try:
            return sweep_at(now)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        looked = list(threads.map(work, range(2)))
    sweep_at(now)

    assert sum(looked) >= SESSIONS
    assert [told(one) for one in every] == [["session.silent"]] * SESSIONS
    assert Heartbeat.objects.filter(silent_since=None).count() == 0


def test_a_sweep_that_is_killed_tells_each_once_and_leaves_none_out(
    api: runs.Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [runs.begin(api()) for _ in range(EXPECTED)]
    for one in every:
        expect(one, 60)
    monkeypatch.setattr(sweeping, "AT_ONCE", AT_ONCE)
    dice, now = Random(40), timezone.now() + timedelta(seconds=61)

    told_of = []
    for _ in range(KILLS):
        looks = dice.randint(AT_ONCE + 1, MOST_LOOKS)
        assert was_killed_in_a_sweep(now, looks, monkeypatch)
        told_of.append(Event.objects.filter(action="session.silent").count())
    sweep_at(now)
    sweep_at(now)

    assert any(0 < count < EXPECTED for count in told_of), "None was killed at work."
    assert told_of == sorted(told_of)
    assert [told(one) for one in every] == [["session.silent"]] * EXPECTED


def was_killed_in_a_sweep(
    now: datetime, looks: int, monkeypatch: pytest.MonkeyPatch
) -> bool:
    """Sweep in a process of its own, and kill that; return whether it was at work.

    It waits at a look, so that it is killed there however fast this machine is; where
    fewer are left to be looked at, it is killed behind them.
    """
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        # The parent's connection is the parent's; psycopg leaves it to that.
        connection.connection = None
        look, counted = sweeping._look, itertools.count(1)

        def looked(*asked: Any) -> bool:
            if next(counted) == looks:
                stop(tell)
            return look(*asked)

        monkeypatch.setattr(sweeping, "_look", looked)
        sweep_at(now)
        stop(tell)
    os.read(ready, 1)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(ready)
    os.close(tell)
    return os.WIFSIGNALED(status)


def stop(tell: int) -> None:
    """Say that this process may be killed, and wait for it."""
    os.write(tell, b".")
    while True:
        signal.pause()
