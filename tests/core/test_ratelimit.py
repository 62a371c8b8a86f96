"""The limit per minute: shares, windows, bounded memory."""

import pytest

from apps.core.ratelimit import RateLimiter, RateLimitExceeded


class Clock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def make_limiter(clock: Clock, *, workers: int = 1, maximum: int = 100) -> RateLimiter:
    return RateLimiter(
        workers=workers, clock=clock, wall_clock=lambda: 5_000.0, maximum=maximum
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
def test_each_worker_grants_its_share_rounded_up(limit: int, granted: int) -> None:
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
