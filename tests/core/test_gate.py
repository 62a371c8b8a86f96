"""The gate for large bodies."""

import threading
from itertools import count

import pytest

from apps.core.admission import gate
from apps.core.admission.gate import GATED_BYTES, Gate
from apps.core.errors import Busy

LARGE = GATED_BYTES + 1


def narrow() -> Gate:
    return Gate(permits=1, seconds=0.01)


class Waiting:
    """Requests that wait at a gate, each in a thread; `order` is who was let in."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.order: list[str] = []
        self.refused: list[str] = []
        self.threads: list[threading.Thread] = []

    def add(self, name: str) -> None:
        """Let one come for the lane of its first letter, and wait until it waits."""
        thread = threading.Thread(target=self._come, args=(name,))
        n_before = len(self.gate._queue) + len(self.refused)
        thread.start()
        self.threads.append(thread)
        while len(self.gate._queue) + len(self.refused) == n_before:
            thread.join(0.001)

    def end(self) -> None:
        for thread in self.threads:
            thread.join()

    def _come(self, name: str) -> None:
        try:
            with self.gate.hold(name[0]):
                self.order.append(name)
        except Busy:
            self.refused.append(name)


def is_free(one: Gate) -> bool:
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
        gate.exempt()
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
    gate.exempt()


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


def test_projects_take_turns_however_many_requests_of_one_wait() -> None:
    one = Gate(permits=1, seconds=30, places=8, clock=count().__next__)
    waiting = Waiting(one)

    with one.hold("a"):
        for name in ("a1", "a2", "a3", "b1", "a4", "b2"):
            waiting.add(name)
    waiting.end()

    assert waiting.order == ["b1", "a1", "b2", "a2", "a3", "a4"]


def test_a_turn_costs_as_long_as_it_takes() -> None:
    ticks = iter([0.0, 100.0, *range(100, 200)])
    one = Gate(permits=1, seconds=30, places=8, clock=lambda: float(next(ticks)))
    waiting = Waiting(one)

    with one.hold("a"):
        for name in ("a1", "b1", "b2", "b3"):
            waiting.add(name)
    waiting.end()

    assert waiting.order == ["b1", "b2", "b3", "a1"]


def test_a_full_queue_refuses_the_project_that_fills_it() -> None:
    one = Gate(permits=1, seconds=30, places=3, clock=count().__next__)
    waiting = Waiting(one)

    with one.hold("a"):
        for name in ("a1", "a2", "a3", "b1", "a4"):
            waiting.add(name)
    waiting.end()

    assert sorted(waiting.refused) == ["a3", "a4"]
    assert waiting.order == ["b1", "a1", "a2"]


def test_much_work_is_done_inside() -> None:
    one = narrow()

    with gate.visiting(one):
        gate.spend(gate.GATED_WORK)
        before = is_free(one)
        gate.spend(1)
        inside = is_free(one)

    assert (before, inside, is_free(one)) == (True, False, True)


def test_work_is_refused_while_others_are_inside() -> None:
    one = narrow()

    with one.hold(), gate.visiting(one):
        gate.spend(gate.GATED_WORK)
        with pytest.raises(Busy):
            gate.spend(1)


def test_a_request_takes_the_turns_of_its_project() -> None:
    one = Gate(permits=1, seconds=30)
    order = []

    def visit(lane: str) -> None:
        with gate.visiting(one):
            gate.take_turns_as(lane)
            gate.enter(LARGE)
            order.append(lane)

    threads = [threading.Thread(target=visit, args=[name]) for name in "aab"]
    with one.hold("a"):
        for n, thread in enumerate(threads):
            thread.start()
            while len(one._queue) == n:
                thread.join(0.001)
    for thread in threads:
        thread.join()

    assert order == ["b", "a", "a"]


def test_who_makes_way_goes_on_after_one_of_another_project() -> None:
    one = Gate(permits=1, seconds=30, places=8, clock=count().__next__)
    waiting = Waiting(one)

    with gate.visiting(one):
        gate.take_turns_as("a")
        gate.enter(LARGE)
        waiting.add("a1")
        wanted_by_its_own = gate.is_wanted()
        waiting.add("b1")
        waiting.add("b2")
        wanted_by_another = gate.is_wanted()
        gate.make_way()
        after_making_way = list(waiting.order)
        is_inside = one._permits == 0
    waiting.end()

    assert (wanted_by_its_own, wanted_by_another) == (False, True)
    assert after_making_way == ["b1"], "one turn of another, and none of its own"
    assert is_inside
    assert waiting.refused == []
    assert sorted(waiting.order) == ["a1", "b1", "b2"]
    assert is_free(one)


def test_nobody_makes_way_who_is_not_inside() -> None:
    one = narrow()

    with one.hold("b"), gate.visiting(one):
        gate.take_turns_as("a")
        gate.make_way()
        inside = not is_free(one)

    gate.make_way()

    assert inside
    assert is_free(one)


def test_who_cannot_come_back_is_refused_and_holds_nothing() -> None:
    one = Gate(permits=1, seconds=0.05, places=8)
    let_in, done = threading.Event(), threading.Event()

    def stay() -> None:
        with one.hold("b"):
            let_in.set()
            done.wait(10)

    other = threading.Thread(target=stay)
    with gate.visiting(one):
        gate.take_turns_as("a")
        gate.enter(LARGE)
        other.start()
        while not gate.is_wanted():
            other.join(0.001)
        with pytest.raises(Busy):
            gate.make_way()
    done.set()
    other.join()

    assert let_in.is_set()
    assert is_free(one)
