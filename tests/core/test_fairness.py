"""The queue in which lanes take turns."""

from typing import Any

from apps.core.admission import fairness
from apps.core.admission.fairness import FairQueue

COST = 1.0


def served(queue: FairQueue[str], *, cost: float = COST) -> list[str]:
    """Serve all that waits, one after the other; return it in order."""
    order = []
    while taken := queue.take():
        lane, item = taken
        order.append(item)
        queue.finish(lane, cost)
    return order


def queue_of(*items: str, places: int = 100, share: int = 1) -> FairQueue[str]:
    """Return a queue with these; the first letter of each is its lane."""
    queue: FairQueue[str] = FairQueue(places=places, share=share)
    for item in items:
        queue.add(item[0], item)
    return queue


def test_one_lane_is_served_in_the_order_it_asked() -> None:
    assert served(queue_of("a1", "a2", "a3")) == ["a1", "a2", "a3"]


def test_lanes_take_turns_however_many_wait_in_one() -> None:
    queue = queue_of("a1", "a2", "a3", "a4", "b1", "b2", "c1")

    assert served(queue) == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]


def test_who_comes_to_a_busy_queue_is_next() -> None:
    queue = queue_of("a1", "a2", "a3")
    lane, _ = queue.take() or ("", "")
    queue.add("b", "b1")
    queue.finish(lane, COST)

    assert served(queue) == ["b1", "a2", "a3"]


def test_what_costs_more_comes_less_often() -> None:
    queue = queue_of(*(f"a{n}" for n in range(4)), *(f"b{n}" for n in range(8)))
    order = []
    while taken := queue.take():
        lane, item = taken
        order.append(item[0])
        queue.finish(lane, 3.0 if lane == "a" else 1.0)

    assert "".join(order) == "abbbabbbabba"


def test_a_pause_saves_nothing_up_and_costs_nothing() -> None:
    queue = queue_of(*(f"a{n}" for n in range(50)))
    served(queue)
    for item in ("a0", "a1", "a2", "b0", "b1", "b2"):
        queue.add(item[0], item)

    assert served(queue) == ["b0", "a0", "b1", "a1", "b2", "a2"]


def test_who_has_no_place_is_the_newest_of_the_longest_lane() -> None:
    queue = queue_of("a1", "a2", "a3", "b1", places=4)

    refused = [queue.add(item[0], item) for item in ("b2", "c1", "a4", "c2")]

    # A lane as long as any other has no place for one more.
    assert refused == ["a3", "a2", "a4", "c2"]
    assert served(queue) == ["a1", "b1", "c1", "b2"]


def test_one_lane_may_fill_all_places_while_nobody_else_comes() -> None:
    queue = queue_of("a1", "a2", places=2)

    assert [queue.add("a", "a3"), queue.add("b", "b1")] == ["a3", "a2"]


def test_a_lane_has_only_its_share_in_progress() -> None:
    queue = queue_of("a1", "a2", "a3", "b1", share=2)

    taken = [queue.take() for _ in range(4)]

    assert taken == [("a", "a1"), ("b", "b1"), ("a", "a2"), None]
    queue.finish("b", COST)
    assert queue.take() is None
    queue.finish("a", COST)
    assert queue.take() == ("a", "a3")


def test_who_gives_up_is_not_served() -> None:
    queue = queue_of("a1", "a2", "b1")
    queue.remove("a", "a1")
    queue.remove("b", "b1")

    assert served(queue) == ["a2"]


def test_what_is_remembered_of_lanes_is_bounded(monkeypatch: Any) -> None:
    monkeypatch.setattr(fairness, "MOST_IDLE", 10)
    queue = queue_of()
    for n in range(100):
        queue.add(f"lane {n}", "item")
        served(queue, cost=float(n))

    assert len(queue._at) <= 10
