"""An answer is asked for once in so many seconds, and an error is not kept."""

import pytest

from apps.core.monitoring import fresh
from apps.core.monitoring.fresh import Fresh


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(fresh, "monotonic", lambda: now[0])
    return now


def test_it_is_asked_once_while_the_answer_is_fresh(clock: list[float]) -> None:
    answers = iter(["first", "second"])
    status = Fresh(lambda: next(answers), seconds=5.0)

    assert status.peek() is None
    assert [status.get(), status.get(), status.peek()] == ["first"] * 3
    clock[0] += 5.1
    assert status.peek() is None
    assert status.get() == "second"


def test_a_slow_answer_is_as_old_as_its_question(clock: list[float]) -> None:
    def ask() -> str:
        clock[0] += 4.0
        return "slow"

    status = Fresh(ask, seconds=5.0)

    assert status.get() == "slow"
    clock[0] += 1.5
    assert status.peek() is None


def test_an_error_is_raised_and_asked_again(clock: list[float]) -> None:
    answers = iter([1 / 3])
    tries = []

    def ask() -> float:
        tries.append(clock[0])
        if len(tries) == 1:
            raise OSError("away")
        return next(answers)

    status = Fresh(ask, seconds=5.0)

    with pytest.raises(OSError, match="away"):
        status.get()
    assert status.get() == 1 / 3
