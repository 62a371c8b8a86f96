"""Room for large bodies: in turn, bounded, and never all of it for one."""

from apps.core.errors import Busy
from apps.server.front.room import Room
from tests.server.running import Run

NOW = 10.0**9


def room(largest: int = 10, for_others: int = 4) -> Room:
    return Room(largest=largest, patience=10, for_others=for_others)


def test_what_fits_is_given_at_once() -> None:
    one = room()

    assert Run(one.hold(6, "a")).is_over
    assert Run(one.hold(4, "a")).is_over
    assert Run(one.hold(4, "b")).is_over


def test_nobody_has_more_than_the_largest_body_needs() -> None:
    one = room()
    Run(one.hold(8, "a"))

    more, other = Run(one.hold(4, "a")), Run(one.hold(4, "b"))

    assert (more.is_over, other.is_over) == (False, True)


def test_the_next_gets_what_comes_free_in_the_order_they_came() -> None:
    one = room()
    Run(one.hold(10, "a"))
    second, third = Run(one.hold(6, "a")), Run(one.hold(2, "a"))

    one.release(10, "a")

    assert (second.is_over, third.is_over) == (True, True)


def test_who_came_first_is_not_overtaken_by_others_that_would_fit() -> None:
    one = room()
    Run(one.hold(10, "a"))
    large, small = Run(one.hold(6, "b")), Run(one.hold(2, "c"))
    assert (large.is_over, small.is_over) == (False, False)

    one.release(10, "a")

    assert (large.is_over, small.is_over) == (True, True)


def test_who_waits_too_long_is_refused_and_lets_the_others_pass() -> None:
    one = room()
    Run(one.hold(10, "a"))
    late, small = Run(one.hold(6, "b")), Run(one.hold(2, "c"))
    one._waiting[1].asked_at = NOW

    one.expire(NOW)

    assert isinstance(late.error, Busy)
    assert late.error.details == {"retry_after": 5}
    assert small.is_over
    assert not small.error


def test_it_says_whether_somebody_waits_for_long() -> None:
    one = room()
    Run(one.hold(10, "a"))
    assert not one.is_wanted_since(NOW)

    Run(one.hold(10, "a"))

    assert one.is_wanted_since(NOW)
    assert not one.is_wanted_since(0)
