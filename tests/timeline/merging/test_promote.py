"""Promoting a fork: what it changed comes into its origin, as one version."""

from typing import Any

import pytest

from apps.timeline.models import Body, Version
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db

REFUND = {"refund": {"amount": 100, "currency": "EUR"}, "step": 2}


@pytest.fixture
def run(begin: Begin) -> Run:
    """A session whose newest version has a refund."""
    made = begin({"step": 0})
    made.put(REFUND)
    return made


def previewed(run: Run, fork: Run, **query: Any) -> Any:
    return run.get("promote", "preview", fork=fork.id, **query)


def promote(run: Run, fork: Run, **fields: Any) -> Any:
    body = {"fork": fork.id, "expected_version": run.head, **fields}
    return run.client.post(run.path("promote"), body)


def test_what_only_the_fork_changed_comes_in_and_what_came_later_stays(
    run: Run,
) -> None:
    fork = run.fork()
    fork.patch({"refund": {"amount": 80, "currency": "EUR"}})
    run.patch({"step": 3})

    shown = previewed(run, fork)
    answer = promote(run, fork, reasoning="The amount was wrong")

    assert (shown["head"], shown["conflict_count"]) == (2, 0)
    assert shown["base"] == {"session_id": run.id, "version": 1}
    assert shown["source"] == {"session_id": fork.id, "version": 1}
    assert [one["pointer"] for one in shown["changes_taken"]] == ["/refund/amount"]
    assert (shown["changes_taken_count"], shown["changes_kept_count"]) == (1, 1)
    assert [one["pointer"] for one in shown["result"]["changes"]] == ["/refund/amount"]
    assert answer.status == 200
    assert answer.headers["ETag"] == '"v3"'
    assert answer.body["state"] == {
        "refund": {"amount": 80, "currency": "EUR"},
        "step": 3,
    }
    made = run.get("versions", 3)
    assert (made["op"], made["reasoning"]) == ("promote", "The amount was wrong")
    assert (made["source_session_id"], made["source_version"]) == (fork.id, 1)
    assert (made["restored_version"], made["parent_version"]) == (None, 2)
    assert run.get("verify")["valid"]


def test_a_conflict_without_a_choice_is_refused_with_all_of_them(run: Run) -> None:
    fork = run.fork()
    fork.patch({"refund": {"amount": 80, "currency": "EUR"}, "step": 8})
    run.patch({"refund": {"amount": 90, "currency": "EUR"}, "step": 9})

    answer = promote(run, fork)

    assert_refused(answer, 409, "merge_conflict")
    error = answer.body["error"]
    amount, step = error["conflicts"]
    assert (amount["part"], amount["pointer"]) == ("state", "/refund/amount")
    assert [amount[side]["value"] for side in ("base", "ours", "theirs")] == [
        100,
        90,
        80,
    ]
    assert (step["pointer"], step["kind"]) == ("/step", "value")
    assert error["conflicts"] == previewed(run, fork)["conflicts"]
    assert run.head == 2


@pytest.mark.parametrize(
    ("choice", "amount"),
    [("ours", 90), ("theirs", 80), ("base", 100), ({"value": 85}, 85)],
)
def test_what_was_chosen_is_what_it_becomes(run: Run, choice: Any, amount: int) -> None:
    fork = run.fork()
    fork.patch({"refund": {"amount": 80, "currency": "EUR"}})
    run.patch({"refund": {"amount": 90, "currency": "EUR"}})
    (conflict,) = previewed(run, fork)["conflicts"]

    answer = promote(run, fork, choices={conflict["id"]: choice})

    assert answer.status == 200, answer.content
    assert answer.body["state"]["refund"]["amount"] == amount
    stored = Version.objects.get(session_id=run.id, number=3)
    assert len(bytes(stored.source_digest)) == 32
    assert run.get("verify")["valid"]


def test_two_promotions_bring_each_change_once(run: Run) -> None:
    fork = run.fork()
    fork.patch({"refund": {"amount": 80, "currency": "EUR"}})
    assert promote(run, fork).status == 200
    run.patch({"refund": {"amount": 70, "currency": "EUR"}})
    fork.patch({"note": "checked"})

    again = promote(run, fork)

    assert again.status == 200
    assert again.body["state"]["refund"]["amount"] == 70
    assert again.body["state"]["note"] == "checked"
    assert_refused(promote(run, fork), 409, "nothing_to_merge")


def test_a_promotion_that_was_rolled_back_counts_for_nothing(run: Run) -> None:
    fork = run.fork()
    fork.patch({"step": 7})
    promote(run, fork)
    run.rollback(1)

    again = promote(run, fork)

    assert again.status == 200
    assert again.body["state"]["step"] == 7


def test_a_rollback_takes_it_back_to_the_byte(run: Run) -> None:
    before = run.client.get(run.path("state")).body["state"]
    fork = run.fork()
    fork.patch({"step": 7})
    promote(run, fork)

    run.rollback(1)

    assert run.client.get(run.path("state")).body["state"] == before
    assert Body.objects.filter(session_id=run.id, number=3).count() == 0
    assert run.get("verify")["valid"]


def test_a_head_that_has_moved_is_refused_with_the_new_preview(run: Run) -> None:
    fork = run.fork()
    fork.patch({"refund": {"amount": 80, "currency": "EUR"}, "step": 8})
    run.patch({"refund": {"amount": 90, "currency": "EUR"}, "step": 9})
    seen = previewed(run, fork)
    choices = {one["id"]: "theirs" for one in seen["conflicts"]}
    run.patch({"step": 10})

    answer = promote(run, fork, choices=choices, expected_version=seen["head"])

    assert_refused(answer, 409, "version_conflict")
    preview = answer.body["error"]["preview"]
    assert preview["head"] == 3
    chosen = {one["pointer"]: one["choice"] for one in preview["conflicts"]}
    assert chosen == {"/refund/amount": "theirs", "/step": None}
    assert run.head == 3


def test_a_choice_for_another_conflict_is_refused_with_those_there_are(
    run: Run,
) -> None:
    fork = run.fork()
    fork.patch({"step": 8})
    run.patch({"step": 9})
    (conflict,) = previewed(run, fork)["conflicts"]

    unknown = promote(run, fork, choices={"0" * 32: "ours"})
    unfit = promote(run, fork, choices={conflict["id"]: "ours_theirs"})

    for answer in (unknown, unfit):
        assert_refused(answer, 422, "choice_refused")
        (shown,) = answer.body["error"]["conflicts"]
        assert shown["id"] == conflict["id"]
    assert run.head == 2


def test_what_is_no_fork_of_it_is_refused(run: Run, begin: Begin) -> None:
    stranger = begin({})
    fork = run.fork()
    nested = fork.fork()

    assert_refused(promote(run, stranger), 422, "not_a_fork", "fork")
    assert_refused(promote(run, nested), 422, "not_a_fork", "fork")
    assert_refused(promote(run, run), 422, "not_a_fork", "fork")
    assert_refused(promote(fork, run), 422, "not_a_fork", "fork")
    missing = {"fork": "sess_" + "0" * 26, "expected_version": 1}
    answer = run.client.post(run.path("promote"), missing)
    assert_refused(answer, 404, "session_not_found")


def test_the_head_that_was_shown_is_needed(run: Run) -> None:
    fork = run.fork()

    answer = run.client.post(run.path("promote"), {"fork": fork.id})

    assert_refused(answer, 400, "invalid_request", "expected_version")


def test_a_repeated_request_is_answered_alike_and_done_once(run: Run) -> None:
    fork = run.fork()
    fork.patch({"step": 7})
    body = {"fork": fork.id, "expected_version": 1}

    first = run.client.post(run.path("promote"), body, Idempotency_Key="promote-1")
    fork.patch({"step": 8})
    again = run.client.post(run.path("promote"), body, Idempotency_Key="promote-1")

    assert first.status == again.status == 200
    assert again.headers["Idempotent-Replayed"] == "true"
    assert first.body["version"] == again.body["version"] == 2
    assert run.head == 2
