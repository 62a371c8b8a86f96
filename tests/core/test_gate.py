"""The gate for large bodies."""

import threading

import pytest

from apps.core import gate
from apps.core.errors import Busy
from apps.core.gate import GATED_BYTES, BodyGate

LARGE = GATED_BYTES + 1


def narrow() -> BodyGate:
    return BodyGate(permits=1, seconds=0.01)


def is_free(one: BodyGate) -> bool:
    try:
        with one.hold():
            return True
    except Busy:
        return False


def test_a_request_enters_with_its_first_large_body_and_leaves_at_its_end() -> None:
    one = narrow()

    with gate.visiting(one):
        gate.enter(GATED_BYTES)
        before = is_free(one)
        gate.enter(LARGE)
        inside = is_free(one)

    assert (before, inside, is_free(one)) == (True, False, True)


def test_who_is_inside_does_not_wait_for_itself() -> None:
    with gate.visiting(narrow()):
        for _ in range(3):
            gate.enter(LARGE)


def test_who_waits_too_long_is_told_when_to_retry() -> None:
    one = narrow()

    with one.hold(), gate.visiting(one), pytest.raises(Busy) as refused:
        gate.enter(LARGE)

    assert refused.value.details == {"retry_after": gate.RETRY_SECONDS}


def test_who_was_refused_may_try_again() -> None:
    one = narrow()

    with gate.visiting(one):
        with one.hold(), pytest.raises(Busy):
            gate.enter(LARGE)
        gate.enter(LARGE)
        assert not is_free(one)


def test_who_has_stored_something_is_not_refused_any_more() -> None:
    one = narrow()

    with one.hold(), gate.visiting(one):
        gate.excuse()
        gate.enter(LARGE)


def test_the_gate_is_left_when_the_request_fails() -> None:
    one = narrow()

    def fail() -> None:
        with gate.visiting(one):
            gate.enter(LARGE)
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        fail()

    assert is_free(one)


def test_commands_are_not_held_back() -> None:
    gate.enter(LARGE)
    gate.excuse()


def test_each_thread_visits_for_itself() -> None:
    one, outcome = narrow(), []

    def other() -> None:
        with gate.visiting(one), pytest.raises(Busy):
            gate.enter(LARGE)
        outcome.append("refused")

    with gate.visiting(one):
        gate.enter(LARGE)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    assert outcome == ["refused"]
