"""Rules of an agent: administrators make them, and what is asked is held to them."""

from typing import Any

import pytest

from apps.accounts.models import Scope
from tests.approvals.make import asked, read
from tests.timeline.runs import Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db
RULES = "/v1/agents/travel/approval-rules"
STRICT = {"tool": "issue_refund", "votes": 2, "who": "admin", "expires_in": 600}


@pytest.fixture
def admin(api: Any, make_key: Any) -> Any:
    return api(make_key(scope=Scope.ADMIN))


def made(admin: Any, **fields: Any) -> Any:
    return succeeded(admin.post(RULES, fields)).body


def test_what_is_asked_is_held_to_the_first_rule_that_means_it(
    run: Run, admin: Any
) -> None:
    made(admin, tool="another_tool", votes=2)
    rule = made(admin, **STRICT)

    approval = asked(run)

    assert approval["rule_id"] == rule["id"]
    assert (approval["votes_needed"], approval["who"]) == (2, "admin")
    assert read(run, approval["id"])["expires_at"] < approval["created_at"][:11] + "Z"


def test_a_rule_takes_nothing_from_what_is_asked(run: Run, admin: Any) -> None:
    made(admin, tool="issue_refund", votes=1, who="operator", on_expiry="escalate")

    approval = asked(run, votes=2, who="admin", on_expiry="reject")

    assert (approval["votes_needed"], approval["who"]) == (2, "admin")
    assert approval["on_expiry"] == "escalate"


@pytest.mark.parametrize(
    ("check", "votes"),
    [
        ("state.amount>500", 2),
        ("state.amount<=500", 1),
        ("state.nothing=1", 1),
        ('NOT state.to="card ending 4471"', 1),
    ],
)
def test_a_check_on_the_arguments_says_whether_it_is_meant(
    run: Run, admin: Any, check: str, votes: int
) -> None:
    made(admin, check=check, votes=2)

    assert asked(run)["votes_needed"] == votes


def test_a_rule_may_mean_a_class(run: Run, admin: Any) -> None:
    made(admin, **{"class": "irreversible"}, votes=2)

    assert asked(run)["votes_needed"] == 2
    assert asked(run, **{"class": "read"})["votes_needed"] == 1


def test_a_check_that_is_none_is_refused_at_its_place(run: Run, admin: Any) -> None:
    many = " AND ".join(["state.a=1"] * 65)

    for check in ("state.amount>", "amount ~ 3", many):
        answer = admin.post(RULES, {"check": check})

        assert_refused(answer, 400, "invalid_request", "check")
        assert "position" in answer.body["error"]


@pytest.mark.parametrize("seconds", [0, 59, 7_776_001])
def test_a_rule_lets_nothing_wait_for_ever(run: Run, admin: Any, seconds: int) -> None:
    answer = admin.post(RULES, {"expires_in": seconds})

    assert_refused(answer, 422, "unacceptable_approval", "expires_in")


def test_a_rule_is_read_by_its_agent_and_removed_by_an_administrator(
    run: Run, admin: Any
) -> None:
    rule = made(admin, **STRICT)

    assert run.client.get(RULES).body["data"] == [rule]
    refused = run.client.delete(f"{RULES}/{rule['id']}")
    assert_refused(refused, 403, "permission_denied")
    assert run.client.post(RULES, STRICT).status == 403
    assert admin.delete(f"{RULES}/{rule['id']}").body == rule
    assert admin.get(RULES).body["data"] == []
    again = admin.delete(f"{RULES}/{rule['id']}")
    assert_refused(again, 404, "approval_rule_not_found")


def test_an_agent_has_fifty_rules_at_most(
    run: Run, admin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.approvals.operations.ruling.MOST_RULES", 1)
    made(admin, **STRICT)

    assert_refused(admin.post(RULES, STRICT), 409, "too_many_approval_rules")
