"""The limit per minute: exact or by shares, windows, bounded memory."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from apps.core.admission import shared_counts
from apps.core.admission.rate_limit import LARGEST_EXACT, RateLimiter, RateLimitExceeded
from tests.live import Server


class Clock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def make_limiter(
    clock: Clock, *, workers: int = 1, maximum: int = 100, shared: str | None = None
) -> RateLimiter:
    return RateLimiter(
        workers=workers,
        clock=clock,
        wall_clock=lambda: 5_000.0,
        maximum=maximum,
        shared=lambda: shared,
    )


def test_it_counts_down_and_then_refuses() -> None:
    limiter = make_limiter(Clock())

    taken = [limiter.take("key", 3) for _ in range(5)]

    assert [allowance.remaining for allowance in taken] == [2, 1, 0, 0, 0]
    assert [allowance.is_exceeded for allowance in taken] == [False] * 3 + [True] * 2


def test_it_says_when_to_come_back() -> None:
    clock = Clock()
    limiter = make_limiter(clock)
    limiter.take("key", 1)
    clock.now += 18.5

    refused = limiter.take("key", 1)

    assert (refused.retry_after, refused.reset_at) == (42, 5042)
    with pytest.raises(RateLimitExceeded) as error:
        refused.check()
    assert error.value.details == {"retry_after": 42}


def test_a_minute_later_all_is_granted_again() -> None:
    clock = Clock()
    limiter = make_limiter(clock)
    limiter.take("key", 1)
    clock.now += 60

    assert not limiter.take("key", 1).is_exceeded


def test_one_caller_does_not_use_up_the_minute_of_another() -> None:
    limiter = make_limiter(Clock())
    limiter.take("one", 1)

    assert not limiter.take("other", 1).is_exceeded


@pytest.mark.parametrize(("limit", "granted"), [(1, 1), (2, 1), (10, 5), (5, 3)])
def test_without_shared_counts_a_worker_grants_its_share_rounded_up(
    limit: int, granted: int
) -> None:
    limiter = make_limiter(Clock(), workers=2)

    taken = [limiter.take("key", limit) for _ in range(10)]

    assert sum(not allowance.is_exceeded for allowance in taken) == granted


def test_the_headers_speak_of_the_whole_limit() -> None:
    allowance = make_limiter(Clock(), workers=2).take("key", 10)

    assert allowance.headers == {
        "X-RateLimit-Limit": "10",
        "X-RateLimit-Remaining": "8",
        "X-RateLimit-Reset": "5060",
    }


def test_its_memory_is_bounded_and_the_busy_are_kept() -> None:
    limiter = make_limiter(Clock(), maximum=3)
    limiter.take("busy", 9)

    for number in range(50):
        limiter.take(f"guess {number}", 9)
        limiter.take("busy", 1000)

    assert len(limiter) == 3
    assert limiter.take("busy", 1000).remaining == 1000 - 52


@pytest.fixture
def counts() -> Iterator[str]:
    """The file that the workers of one server share."""
    with shared_counts.shared_counts():
        yield os.environ[shared_counts.VARIABLE]


@pytest.mark.parametrize("limit", [1, 5, 30])
def test_workers_that_share_their_counts_grant_the_limit_exactly(
    counts: str, limit: int
) -> None:
    clock = Clock()
    workers = [make_limiter(clock, workers=3, shared=counts) for _ in range(3)]

    taken = [workers[n % 3].take("key", limit) for n in range(40)]

    assert sum(not allowance.is_exceeded for allowance in taken) == limit
    assert [one.remaining for one in taken[:limit]] == list(range(limit))[::-1]
    clock.now += 60
    assert not workers[1].take("key", limit).is_exceeded


def test_all_of_it_may_come_to_one_worker(counts: str) -> None:
    limiter = make_limiter(Clock(), workers=4, shared=counts)

    taken = [limiter.take("key", 30) for _ in range(30)]

    assert not any(allowance.is_exceeded for allowance in taken)


def test_a_limit_that_nobody_reaches_by_hand_stays_divided(counts: str) -> None:
    limiter = make_limiter(Clock(), workers=2, shared=counts)

    assert limiter.take("key", LARGEST_EXACT + 2).remaining == LARGEST_EXACT
    assert len(limiter) == 1


@pytest.mark.parametrize("is_shared", [True, False])
def test_what_is_given_back_can_be_taken_again(counts: str, is_shared: bool) -> None:
    clock = Clock()
    limiter = make_limiter(clock, shared=counts if is_shared else None)
    limiter.give_back("key", 2)
    limiter.take("key", 2, window=300)
    limiter.take("key", 2, window=300)

    limiter.give_back("key", 2)
    clock.now += 100

    assert [limiter.take("key", 2).is_exceeded for _ in range(2)] == [False, True]
    assert limiter.take("key", 2).retry_after == 200


def test_a_full_bucket_gives_up_what_ends_soonest(
    counts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_counts, "BUCKETS", 1)
    clock = Clock()
    limiter = make_limiter(clock, shared=counts)
    for number in range(shared_counts.SLOTS):
        limiter.take(f"key {number}", 1)
        clock.now += 1

    limiter.take("one more", 1)

    assert limiter.take("key 1", 1).is_exceeded
    assert not limiter.take("key 0", 1).is_exceeded


def granted(counts: str, times: int, said: "multiprocessing.Queue[int]") -> None:
    limiter = RateLimiter(workers=4, shared=lambda: counts)
    found: list[bool] = []

    def work() -> None:
        found.extend(not limiter.take("key", 250).is_exceeded for _ in range(times))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said.put(sum(found))


def test_processes_with_threads_grant_no_more_and_no_less(counts: str) -> None:
    context = multiprocessing.get_context("spawn")
    said = context.Queue()
    workers = [
        context.Process(target=granted, args=(counts, 100, said)) for _ in range(3)
    ]
    for worker in workers:
        worker.start()

    total = sum(said.get(timeout=60) for _ in workers)

    for worker in workers:
        worker.join()
    assert total == 250


def holding(counts: str, said: "multiprocessing.Queue[str]") -> None:
    shared = shared_counts.SharedCounts(counts)
    with shared._slot("key", 0.0):
        said.put("held")
        signal.pause()


def test_a_worker_that_is_killed_while_it_counts_stops_nobody(counts: str) -> None:
    context = multiprocessing.get_context("spawn")
    said = context.Queue()
    worker = context.Process(target=holding, args=(counts, said))
    worker.start()
    assert said.get(timeout=60) == "held"
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)

    assert not make_limiter(Clock(), shared=counts).take("key", 1).is_exceeded
    worker.join()


def test_the_served_process_grants_a_keys_limit_exactly(live: Server) -> None:
    secret = live.key("thirty-a-minute", "--rate-limit", "30")

    # Each on a connection of its own, so that both workers are asked.
    answers = []
    for _ in range(35):
        with live.client(secret) as client:
            answers.append(client.get("/v1/agents"))

    assert [one.status_code for one in answers] == [200] * 30 + [429] * 5
    left = [int(one.headers["X-RateLimit-Remaining"]) for one in answers]
    assert left == [*range(29, -1, -1), 0, 0, 0, 0, 0]
