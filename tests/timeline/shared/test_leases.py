"""Leases: one holder at a time, fences that only grow, late writes refused."""

from typing import Any

import pytest

from apps.timeline.models import Lease
from tests.timeline.shared.board import Board, assert_problem, lapse

pytestmark = pytest.mark.django_db


def test_it_is_taken_by_one_and_refused_to_others(board: Board) -> None:
    taken = board.take("planner")
    refused = board.take("critic")

    assert taken.status == 200
    assert taken.body["fence"] == 1
    assert 0 < taken.body["seconds_left"] <= 60
    assert_problem(refused, 409, "leased")
    assert refused.body["error"]["holder"] == "planner"
    assert 0 < refused.body["error"]["seconds_left"] <= 60
    assert board.get().body["lease"]["holder"] == "planner"


def test_who_asks_again_is_handed_out_the_same_fence(board: Board) -> None:
    first, again = board.take("planner"), board.take("planner", 90)

    assert again.body["fence"] == first.body["fence"]
    assert again.body["until"] > first.body["until"]


def test_asking_again_takes_no_time_away(board: Board) -> None:
    first, again = board.take("planner", 90), board.take("planner", 1)

    assert again.body["until"] == first.body["until"]


def test_the_same_name_under_another_key_is_another_holder(
    board: Board, limited: Any
) -> None:
    fence = board.take("planner").body["fence"]
    other = limited("travel")

    assert_problem(other.take("planner"), 409, "leased")
    assert_problem(other.renew(fence), 409, "fence_stale")
    assert_problem(other.release(fence), 409, "fence_stale")
    assert board.put({"mine": True}, fence=fence).status == 200


def test_only_the_holder_writes_while_it_is_held(board: Board) -> None:
    board.put({"by": "nobody"})
    fence = board.take("planner").body["fence"]

    refused = board.patch({"by": "critic"})
    back = board.rollback(0)
    written = board.patch({"by": "planner"}, fence=fence)

    assert_problem(refused, 409, "leased")
    assert_problem(back, 409, "leased")
    assert refused.body["error"]["holder"] == "planner"
    assert written.status == 200
    assert board.state == {"by": "planner"}


def test_a_fence_grows_with_each_holder_and_a_late_write_is_refused(
    board: Board,
) -> None:
    late = board.take("planner").body["fence"]
    lapse(board)
    newer = board.take("critic").body["fence"]

    refused = board.patch({"by": "planner"}, fence=late)

    assert newer == late + 1
    assert_problem(refused, 409, "fence_stale")
    assert refused.body["error"]["newest_fence"] == newer
    assert board.patch({"by": "critic"}, fence=newer).status == 200
    assert_problem(board.rollback(0, fence=late), 409, "fence_stale")
    assert board.state == {"by": "critic"}


def test_a_lease_that_was_given_back_is_free(board: Board) -> None:
    fence = board.take("planner").body["fence"]

    released, again = board.release(fence), board.release(fence)

    assert released.status == again.status == 200
    assert again.body["seconds_left"] == 0
    assert board.get().body["lease"] is None
    assert board.patch({"by": "anybody"}).status == 200
    assert board.take("planner").body["fence"] == fence + 1


def test_it_is_renewed_while_it_lasts(board: Board) -> None:
    taken = board.take("planner", 10).body
    renewed = board.renew(taken["fence"], 100).body

    assert renewed["fence"] == taken["fence"]
    assert renewed["until"] > taken["until"]


def test_one_whose_time_is_over_is_not_renewed(board: Board) -> None:
    fence = board.take("planner").body["fence"]
    lapse(board)

    assert_problem(board.renew(fence), 409, "lease_lapsed")
    # Nobody was handed out a newer fence: what it writes is not late.
    assert board.patch({"by": "planner"}, fence=fence).status == 200


def test_a_fence_that_nobody_was_handed_out_is_refused(board: Board) -> None:
    board.put({"n": 1})

    refused = board.put({"n": 2}, fence=1)
    board.take("planner")
    ahead = board.put({"n": 2}, fence=2)

    assert_problem(refused, 409, "fence_stale")
    assert refused.body["error"]["newest_fence"] is None
    assert_problem(ahead, 409, "fence_stale")
    assert board.state == {"n": 1}


def test_a_repeated_write_is_answered_after_its_lease_was_lost(board: Board) -> None:
    fence = board.take("planner").body["fence"]
    body = {"state": {"n": 1}, "fence": fence}
    first = board.send("PATCH", "", body, Idempotency_Key="k")
    lapse(board)
    board.take("critic")

    again = board.send("PATCH", "", body, Idempotency_Key="k")

    assert first.body["version"] == again.body["version"]
    assert again.headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"holder": "a", "seconds": 0}, "seconds"),
        ({"holder": "a", "seconds": 3601}, "seconds"),
        ({"holder": "a", "seconds": 1.5}, "seconds"),
        ({"holder": "a"}, "seconds"),
        ({"seconds": 1}, "holder"),
        ({"holder": "", "seconds": 1}, "holder"),
        ({"holder": "x" * 201, "seconds": 1}, "holder"),
        ({"holder": "a\x00b", "seconds": 1}, "holder"),
        ({"holder": "a", "seconds": 1, "until": "2030-01-01"}, "until"),
    ],
)
def test_bad_input_takes_nothing(board: Board, body: Any, param: str) -> None:
    refused = board.send("POST", "/lease", body)

    assert refused.status == 400
    assert refused.param == param
    assert not Lease.objects.exists()


@pytest.mark.parametrize("fence", [0, -1, "1", 1.0, True, 2**63])
def test_a_fence_is_a_whole_number(board: Board, fence: Any) -> None:
    for refused in (
        board.patch({}, fence=fence),
        board.put({}, fence=fence),
        board.rollback(0, fence=fence),
        board.renew(fence),
        board.release(fence),
    ):
        assert (refused.status, refused.param) == (400, "fence")
