"""An agent asks: a version `wait`, a request that it reads, and nothing decided."""

from typing import Any

import pytest

from apps.approvals.models import Approval
from apps.timeline.models import Version
from tests.approvals.make import REFUND, asked, read
from tests.timeline.runs import Run, assert_refused

pytestmark = pytest.mark.django_db
DAY = 24 * 3600


def test_asking_is_a_version_that_shows_the_heads_state(run: Run) -> None:
    approval = asked(run, reason="The flight was late.")

    head = run.get("state")
    version = run.get("versions", approval["version"])
    assert (approval["status"], approval["outcome"]) == ("pending", None)
    assert head["version"] == approval["version"] == 2
    assert head["state"] == {
        "claim": {"amount": 249, "flight": "XQ417"},
        "step": "ask",
    }
    assert version["op"] == "wait"
    assert version["objective_status"] == "WAITING_FOR_APPROVAL"
    stored = Version.objects.get(session_id=run.id, number=2)
    assert stored.body_number == 1
    assert read(run, approval["id"]) == approval


def test_what_is_asked_is_answered_as_it_was_said(run: Run) -> None:
    approval = asked(run, arguments={"amount": 10**25, "to": "x"}, schema=None)

    assert approval["arguments"] == {"amount": 10**25, "to": "x"}
    assert approval["class"] == "irreversible"
    assert (approval["votes_needed"], approval["who"]) == (1, "operator")
    assert approval["on_expiry"] == "reject"


def test_the_session_waits_and_the_agent_goes_on_over_it(run: Run) -> None:
    asked(run)

    turn = run.turn("Hi", "Hello", state_after={"step": "other task"})
    run.patch({"n": 1})
    run.put({"n": 2})
    several = run.post("versions", {"versions": [{"state": {"n": 3}}]})

    assert turn["version"] == 3
    assert several["last_version"] == 6
    assert run.state == {"n": 3}


def test_asked_again_under_its_key_it_is_the_same_one(run: Run) -> None:
    first = asked(run, key="refund-1")
    again = asked(run, key="refund-1")

    assert again["id"] == first["id"]
    assert run.head == first["version"]
    other = {**REFUND, "key": "refund-1", "arguments": {"amount": 1, "to": "x"}}
    answer = run.client.post(run.path("approvals"), other)
    assert_refused(answer, 422, "idempotency_key_reused", "key")


def test_a_repeated_request_is_answered_once(run: Run) -> None:
    about = {"Idempotency-Key": "once"}
    first = run.client.post(run.path("approvals"), REFUND, **about)
    again = run.client.post(run.path("approvals"), REFUND, **about)

    assert first.body == again.body
    assert Approval.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"ttl_seconds": 0}, "ttl_seconds"),
        ({"ttl_seconds": 59}, "ttl_seconds"),
        ({"ttl_seconds": 91 * DAY}, "ttl_seconds"),
        ({"ttl_seconds": -5}, "ttl_seconds"),
        ({"ttl_seconds": -(2**63)}, "ttl_seconds"),
        ({"ttl_seconds": 2**53}, "ttl_seconds"),
        ({"deadline": "2020-01-01T00:00:00Z"}, "deadline"),
        ({"deadline": "tomorrow"}, "deadline"),
        ({"deadline": "2999-01-01"}, "deadline"),
        ({"tool": ""}, "tool"),
        ({"tool": "x" * 201}, "tool"),
        ({"key": "k" * 201}, "key"),
        ({"reason": "r" * 2_001}, "reason"),
        ({"depends_on": ["/a"] * 51}, "depends_on"),
        ({"arguments": {"a": "x" * 70_000}, "schema": None}, "arguments"),
        ({"schema": {"type": "nonsense"}}, "/schema"),
        ({"schema": {"$ref": "https://example.com/a.json"}}, "/schema/$ref"),
        ({"schema": {"allOf": [{"$ref": "file:///etc"}]}}, "/schema/allOf/0/$ref"),
        ({"schema": {"$schema": "https://example.com/meta"}}, "/schema"),
    ],
)
def test_what_cannot_be_asked_is_refused(run: Run, fields: Any, param: str) -> None:
    answer = run.client.post(run.path("approvals"), {**REFUND, **fields})

    assert_refused(answer, 422, "unacceptable_approval", param)
    assert run.head == 1


def test_arguments_pass_the_schema_that_comes_with_them(run: Run) -> None:
    wrong = {**REFUND, "arguments": {"amount": 9_999}}

    answer = run.client.post(run.path("approvals"), wrong)

    assert_refused(answer, 422, "unacceptable_arguments")
    places = {one["param"] for one in answer.body["error"]["errors"]}
    assert places == {"/arguments", "/arguments/amount"}


@pytest.mark.parametrize(("verb", "status"), [("pause", 423), ("close", 409)])
def test_a_held_session_refuses_what_its_agent_asks(
    run: Run, verb: str, status: int
) -> None:
    run.hold(verb)

    assert run.client.post(run.path("approvals"), REFUND).status == status
    assert not Approval.objects.exists()


def test_a_stranger_finds_nothing(run: Run, stranger: Any) -> None:
    approval = asked(run)

    answers = [
        stranger.get(f"/v1/approvals/{approval['id']}"),
        stranger.post(f"/v1/approvals/{approval['id']}/votes", {}),
        stranger.post(run.path("approvals"), REFUND),
    ]

    assert [one.status for one in answers] == [404, 404, 404]
    assert stranger.get("/v1/approvals").body["data"] == []


def test_a_key_for_other_agents_finds_nothing(
    run: Run, api: Any, make_key: Any
) -> None:
    approval = asked(run)
    limited = api(make_key(agents=["somebody-else"]))

    assert limited.get(f"/v1/approvals/{approval['id']}").status == 404
    assert limited.get("/v1/approvals").body["data"] == []
    waiting = limited.get("/v1/approvals", {"status": "pending"})
    assert waiting.body["data"] == []


def test_no_key_votes(run: Run) -> None:
    approval = asked(run)

    answer = run.client.post(f"/v1/approvals/{approval['id']}/votes", {})

    assert_refused(answer, 403, "permission_denied")
    assert read(run, approval["id"])["votes"] == []


def test_a_session_has_a_hundred_undecided_at_most(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.approvals.operations.asking.MOST_UNDECIDED", 2)
    asked(run)
    asked(run)

    answer = run.client.post(run.path("approvals"), REFUND)

    assert_refused(answer, 409, "too_many_approvals")
