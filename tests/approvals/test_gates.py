"""Rules on tools: an effect waits for people, and so does an agent's rollback."""

from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.access import actor_of
from apps.accounts.models import Scope, User
from apps.plans import dry_running
from apps.timeline.models import Version
from tests.approvals.make import asked, read, voted
from tests.conftest import Answer
from tests.plans.make import confirmed
from tests.timeline.runs import Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db
RULES = "/v1/agents/travel/approval-rules"
MAIL = {"key": "mail-1", "tool": "send_mail", "arguments": {"to": "ann", "copies": 3}}


@pytest.fixture
def admin(api: Any, make_key: Any) -> Any:
    return api(make_key(scope=Scope.ADMIN))


def ruled(admin: Any, **rule: Any) -> None:
    succeeded(admin.post(RULES, rule))


def begin(run: Run, **said: Any) -> Answer:
    return run.client.post(run.path("effects"), MAIL | said)


def test_an_effect_that_a_rule_means_waits_and_then_begins_once(
    run: Run, admin: Any, project: Any, olga: User
) -> None:
    ruled(admin, tool="send_mail", check="state.copies>1")

    first, again = begin(run), begin(run)

    approval = first.body["approval"]
    assert (first.status, first.body["run"]) == (202, False)
    assert again.body["approval"]["id"] == approval["id"]
    assert Version.objects.filter(session_id=run.id, op="wait").count() == 1
    voted(project, olga, approval["id"])
    begun = begin(run)
    assert (begun.status, begun.body["run"]) == (201, True)
    assert_refused(begin(run), 409, "effect_in_progress")


def test_a_repeated_request_for_it_asks_once(run: Run, admin: Any) -> None:
    ruled(admin, tool="send_mail")
    about = {"Idempotency-Key": "once"}
    path = run.path("effects")

    first = run.client.post(path, MAIL, **about)
    again = run.client.post(path, MAIL, **about)

    assert first.body["approval"]["id"] == again.body["approval"]["id"]


def test_what_no_rule_means_begins_at_once(run: Run, admin: Any) -> None:
    ruled(admin, tool="send_mail", check="state.copies>5")

    assert begin(run).status == 201


def test_only_the_arguments_that_people_allowed_begin(
    run: Run, admin: Any, project: Any, olga: User
) -> None:
    ruled(admin, tool="send_mail")
    approval = begin(run).body["approval"]
    allowed = {"to": "ann", "copies": 1}
    voted(project, olga, approval["id"], arguments=allowed)

    assert_refused(begin(run), 422, "unacceptable_arguments", "arguments")
    begun = begin(run, arguments=allowed)

    assert (begun.status, begun.body["run"]) == (201, True)


def test_what_was_rejected_or_set_aside_does_not_begin(
    run: Run, admin: Any, project: Any, olga: User
) -> None:
    ruled(admin, tool="send_mail")
    approval = begin(run).body["approval"]
    voted(project, olga, approval["id"], "reject")
    refused = begin(run)
    assert_refused(refused, 409, "approval_closed")
    assert refused.body["error"]["outcome"] == "rejected"

    other = begin(run, key="mail-2").body["approval"]
    voted(project, olga, other["id"])
    run.rollback(1)

    refused = begin(run, key="mail-2")
    assert refused.body["error"]["outcome"] == "voided"


def test_what_it_rests_on_is_compared_again_when_it_begins(
    run: Run, project: Any, olga: User
) -> None:
    approval = asked(run, **MAIL, schema=None)
    voted(project, olga, approval["id"])
    run.patch({"claim": {"amount": 1, "flight": "XQ417"}})

    assert_refused(begin(run), 409, "approval_outdated")


def test_an_agents_rollback_asks_first_where_a_rule_says_so(
    run: Run, admin: Any, project: Any, olga: User
) -> None:
    ruled(admin, tool="rollback")

    refused = run.client.post(run.path("rollback"), {"version": 0})
    assert_refused(refused, 409, "approval_needed")
    told = refused.body["error"]
    assert (told["tool"], told["arguments"]) == ("rollback", {"to": 0})
    wanted = {"tool": told["tool"], "arguments": told["arguments"]}
    approval = run.post("approvals", wanted)
    waiting = run.client.post(run.path("rollback"), {"version": 0})
    assert_refused(waiting, 409, "approval_needed")
    voted(project, olga, approval["id"])

    assert run.rollback(0)["restored_from_version"] == 0
    assert read(run, approval["id"])["status"] == "voided"
    again = run.client.post(run.path("rollback"), {"version": 1})
    assert_refused(again, 409, "approval_needed")


@pytest.mark.parametrize("rule", ["revert", "rollback"])
def test_an_agents_revert_asks_each_time_where_a_rule_says_so(
    run: Run, admin: Any, project: Any, olga: User, rule: str
) -> None:
    ruled(admin, tool=rule)
    places = {"first_version": 1, "last_version": 1}

    def revert() -> Answer:
        return run.client.post(
            run.path("revert"), {**places, "expected_version": run.head}
        )

    run.patch({"kept": 1})
    refused = revert()
    assert_refused(refused, 409, "approval_needed")
    told = refused.body["error"]
    assert (told["tool"], told["arguments"]) == ("revert", places)
    wanted = {"tool": told["tool"], "arguments": told["arguments"]}
    approval = run.post("approvals", wanted)
    assert_refused(revert(), 409, "approval_needed")
    voted(project, olga, approval["id"])

    assert revert().status == 200
    run.patch({"step": "ask"})
    assert_refused(revert(), 409, "approval_needed")


def crossed(run: Run) -> str:
    """Send a mail and roll back behind it; return the address of what is owed."""
    effect = succeeded(begin(run)).body
    done = {"attempt": 1, "status": "done"}
    succeeded(run.client.post(run.path("effects", effect["id"], "finish"), done))
    run.rollback(1)
    return run.path("effects", effect["id"], "compensation")


def test_putting_right_asks_first_where_a_rule_says_so(
    run: Run, admin: Any, project: Any, olga: User
) -> None:
    run.patch({"n": 1})
    run.patch({"n": 2})
    owed = crossed(run)
    ruled(admin, tool="compensation")

    refused = run.client.post(owed, {"status": "requested"})

    assert_refused(refused, 409, "approval_needed")
    told = refused.body["error"]
    assert told["tool"] == "compensation"
    wanted = {"tool": told["tool"], "arguments": told["arguments"]}
    approval = run.post("approvals", wanted)
    voted(project, olga, approval["id"])
    assert run.client.post(owed, {"status": "requested"}).status == 200


def test_what_came_of_putting_right_needs_no_approval(run: Run, admin: Any) -> None:
    run.patch({"n": 1})
    run.patch({"n": 2})
    owed = crossed(run)
    ruled(admin, tool="compensation")

    assert run.client.post(owed, {"status": "done"}).status == 200


def test_a_plan_asks_first_where_a_rule_says_so(
    run: Run, admin: Any, project: Any, olga: User
) -> None:
    ruled(admin, tool="plan", check="state.kind=hold")
    plan = run.client.post("/v1/plans", {"kind": "hold", "sessions": [run.id]}).body

    refused = run.client.post(f"/v1/plans/{plan['id']}/confirm", {})

    assert_refused(refused, 409, "approval_needed")
    told = refused.body["error"]
    assert told["arguments"] == {"plan": plan["id"], "kind": "hold"}
    wanted = {"tool": told["tool"], "arguments": told["arguments"]}
    approval = run.post("approvals", wanted)
    voted(project, olga, approval["id"])
    assert run.client.post(f"/v1/plans/{plan['id']}/confirm", {}).status == 200


def test_what_is_allowed_of_a_rollback_of_many_is_what_was_seen(
    run: Run, admin: Any, project: Any, olga: User
) -> None:
    ruled(admin, tool="plan", check="state.sessions>0")
    path = f"/v1/sessions/{run.id}/state"
    assert run.client.patch(path, {"state": {"bad": True}}).status == 200
    asked = {"kind": "rollback", "sessions": [run.id], "target": {"label": "good"}}
    assert run.client.post("/v1/plans", asked).body["counts"]["left_out"] == 1
    asked["target"] = {"versions": {run.id: 0}}
    plan = run.client.post("/v1/plans", asked).body
    address = f"/v1/plans/{plan['id']}"
    said = {"digest": plan["digest"]}

    refused = run.client.post(f"{address}/confirm", said)

    assert_refused(refused, 409, "approval_needed")
    told = refused.body["error"]
    assert told["arguments"]["digest"] == plan["digest"]
    assert told["arguments"]["sessions"] == 1
    wanted = {"tool": told["tool"], "arguments": told["arguments"]}
    voted(project, olga, run.post("approvals", wanted)["id"])
    # Asking was a version itself, so the plan looks again: it is another one by now.
    run.client.post(f"{address}/look")
    dry_running.sweep(now=timezone.now())
    other = {"digest": run.client.get(address).body["digest"]}
    assert other != said
    assert_refused(run.client.post(f"{address}/confirm", other), 409, "approval_needed")


@pytest.mark.parametrize("rule", [{"check": "state.kind=export"}, {"tool": "wire"}])
def test_a_plan_that_no_rule_means_is_done_at_once(
    run: Run, admin: Any, rule: Any
) -> None:
    ruled(admin, **{"tool": "plan"} | rule)
    plan = run.client.post("/v1/plans", {"kind": "hold", "sessions": [run.id]}).body

    assert run.client.post(f"/v1/plans/{plan['id']}/confirm", {}).status == 200


def test_people_confirm_a_plan_without_asking(
    run: Run, admin: Any, project: Any, olga: User
) -> None:
    ruled(admin, tool="plan")

    assert confirmed(project, actor_of(olga), "hold", [run.id]).is_running
