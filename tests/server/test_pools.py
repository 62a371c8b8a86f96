"""Pools: in turn, so many at a time, and none waits for another."""

import threading
from time import monotonic

import pytest
from django.conf import settings

from apps.accounts import hashing
from apps.core.errors import Busy
from apps.server.front import pools
from apps.server.front.loop import Steps
from apps.server.front.pools import Pool
from apps.server.serving import CONNECTIONS
from tests.server.running import Run

SECONDS = 10


class Work:
    """What holds a thread of a pool until it is let go."""

    def __init__(self, pool: Pool) -> None:
        self._free = threading.Event()
        self.begun = threading.Event()
        self.run = Run(self._work(pool))

    async def _work(self, pool: Pool) -> None:
        await pool.turn()
        self.begun.set()
        assert self._free.wait(SECONDS)

    def let_go(self) -> None:
        self._free.set()
        assert self.run.ended.wait(SECONDS)


def test_so_many_at_a_time_in_the_order_they_came() -> None:
    pool = Pool("two", threads=2)
    works = [Work(pool) for _ in range(4)]
    for work in works[:2]:
        assert work.begun.wait(SECONDS)
    assert not works[2].begun.is_set()

    works[1].let_go()

    assert works[2].begun.wait(SECONDS)
    assert not works[3].begun.is_set()
    for work in works:
        work.let_go()


def test_no_pool_waits_for_another() -> None:
    full, other = Pool("full", threads=1), Pool("other", threads=1)
    held = [Work(full) for _ in range(3)]

    work = Work(other)

    assert work.begun.wait(SECONDS)
    for each in (work, *held):
        each.let_go()


def test_too_many_are_refused_at_once() -> None:
    pool = Pool("one", threads=1, waiting=2)
    works = [Work(pool)]
    assert works[0].begun.wait(SECONDS)
    works += [Work(pool), Work(pool)]

    refused = Work(pool)

    assert isinstance(refused.run.error, Busy)
    assert refused.run.error.details == {"retry_after": 2}
    for work in works:
        work.let_go()


def test_a_turn_that_comes_too_late_is_refused() -> None:
    pool = Pool("one", threads=1)
    first = Work(pool)
    assert first.begun.wait(SECONDS)
    late = Work(pool)

    pool.patience = -1.0
    first.let_go()

    assert late.run.ended.wait(SECONDS)
    assert isinstance(late.run.error, Busy)


def test_a_refusal_is_still_told_where_work_comes_too_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = pools.make_pools()
    refusal, work = made.refusals.turn(), made.known.turn()
    late = monotonic() + 2 * pools.PATIENCE_SECONDS

    monkeypatch.setattr(pools, "monotonic", lambda: late)

    refusal.result()
    with pytest.raises(Busy):
        work.result()


def test_a_thread_outlives_what_breaks_in_it() -> None:
    pool = Pool("one", threads=1)

    async def broken() -> None:
        await pool.turn()
        raise SystemExit

    Steps(broken())()
    work = Work(pool)
    work.let_go()

    assert work.run.error is None


def test_threads_start_with_the_first_turn() -> None:
    before = threading.active_count()
    pool = Pool("three", threads=3)
    assert threading.active_count() == before

    Work(pool).let_go()

    assert threading.active_count() == before + 3


def test_no_pool_takes_the_connection_that_another_needs() -> None:
    """Of the others, neither liveness nor the refusals ask the database."""
    made = pools.make_pools()

    asking = (made.probes, made.checks, made.known, made.anonymous)

    assert sum(pool.threads for pool in asking) <= settings.POOL_SIZE


def test_those_who_check_passwords_leave_a_thread_to_other_strangers() -> None:
    """So that what is one too many for hashing is refused, and does not wait."""
    assert pools.make_pools().anonymous.threads > hashing.PLACES


def test_no_key_is_refused_unseen_however_many_come_at_once() -> None:
    checks = pools.make_pools().checks
    first = Work(checks)
    assert first.begun.wait(SECONDS)

    async def looked_up() -> None:
        await checks.turn()

    burst = [Run(looked_up()) for _ in range(CONNECTIONS - 1)]
    first.let_go()

    assert all(run.ended.wait(SECONDS) for run in burst)
    assert not any(run.error for run in burst)
