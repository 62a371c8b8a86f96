"""Budgets of a session: held to by the last turn's totals, under the session's lock."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections

from apps.accounts.access import actor_of
from apps.accounts.models import User
from apps.approvals import operations as approvals
from apps.approvals.words import Verdict
from apps.audit.models import Event
from apps.core.actors import SYSTEM
from apps.guards.models import Budget
from apps.guards.standing import used_by
from apps.timeline import operations as timeline
from apps.timeline import verification
from apps.timeline.models import Session, Turn
from apps.timeline.operations import Step
from tests.acts import act_in
from tests.timeline import runs
from tests.timeline.runs import assert_refused, succeeded

pytestmark = pytest.mark.django_db


def budget(admin: Any, run: runs.Run, limit: Any = 100, **said: Any) -> Any:
    body = {"session_id": run.id, "measure": "tokens", "limit": limit, **said}
    return succeeded(admin.post("/v1/budgets", body)).body


def spend(run: runs.Run, tokens: int = 10, **fields: Any) -> Any:
    return run.turn(usage={"input_tokens": tokens, "output_tokens": 0}, **fields)


def tried(run: runs.Run, **usage: Any) -> Any:
    body = {"input": "Hi", "output": "Hello", "usage": usage or {"input_tokens": 1}}
    return run.client.post(run.path("turns"), body)


def told(run: runs.Run, action: str) -> list[Any]:
    found = Event.objects.filter(stream_id=run.id, action=action).order_by("id")
    return [one.details for one in found]


def standing(admin: Any, made: Any) -> Any:
    return succeeded(admin.get(f"/v1/budgets/{made['id']}")).body


def resumed_by_people(run: runs.Run) -> None:
    project = Session.objects.select_related("agent__project").get(id=run.id)
    act = act_in(project.agent.project, SYSTEM)
    timeline.resume(act=act, session_id=run.id, step=Step())


def rolled_back_by_people(run: runs.Run, number: int) -> None:
    project = Session.objects.select_related("agent__project").get(id=run.id)
    act = act_in(project.agent.project, SYSTEM)
    timeline.rollback(act=act, session_id=run.id, to=number, step=Step())


def grant(
    user: User, run: runs.Run, approval_id: str, verdict: Verdict, **more: Any
) -> None:
    project = Session.objects.select_related("agent__project").get(id=run.id)
    act = act_in(project.agent.project, actor_of(user))
    said = approvals.Said(verdict=verdict, **more)
    approvals.vote(act=act, approval_id=approval_id, said=said)


def test_the_turn_that_crosses_it_is_stored_and_the_session_paused_with_it(admin, run):
    made = budget(admin, run, 25)
    spend(run), spend(run)
    crossing = spend(run)

    refused = tried(run)

    assert crossing["spent"]["input_tokens"] == 30
    assert_refused(refused, 409, "budget_reached")
    assert made["id"] in refused.body["detail"]
    assert "30" in refused.body["detail"]
    assert Turn.objects.of_session(run.id).count() == 3
    assert [one["limit"] for one in told(run, "budget.reached")] == ["25"]
    assert standing(admin, made)["used"] == "30"
    assert not list(verification.findings(run.id))


def test_states_are_refused_as_well_and_people_resume(admin, run):
    budget(admin, run, 10)
    spend(run)

    assert_refused(
        run.client.patch(run.path("state"), {"state": {"a": 1}}), 409, "budget_reached"
    )
    assert_refused(run.client.post(run.path("resume"), {}), 409, "budget_reached")
    resumed_by_people(run)
    spend(run)

    assert_refused(tried(run), 409, "budget_reached")
    assert len(told(run, "budget.reached")) == 1


def test_where_so_much_is_asked_already_it_is_paused_without_a_question(admin, run):
    for which in range(100):
        asked = {"tool": "pay", "arguments": {"which": which}}
        succeeded(run.client.post(run.path("approvals"), asked))
    budget(admin, run, 10, on_reach="ask", ask_for=50)

    spend(run)

    assert_refused(tried(run), 409, "budget_reached")
    assert [one["approval_id"] for one in told(run, "budget.reached")] == [None]


def test_it_warns_once_at_its_share(admin, run):
    made = budget(admin, run, 100, warn_percent=30)
    spend(run), spend(run), spend(run), spend(run)

    assert [one["used"] for one in told(run, "budget.warned")] == ["30"]
    assert standing(admin, made)["warned_at"] is not None
    assert standing(admin, made)["reached_at"] is None


def test_one_that_only_warns_pauses_nothing(admin, run):
    budget(admin, run, 15, on_reach="warn")
    spend(run), spend(run), spend(run)

    assert len(told(run, "budget.reached")) == 1
    assert run.get("state")


@pytest.mark.parametrize(
    ("said", "turn"),
    [
        ({"measure": "turns", "limit": 2}, {}),
        ({"measure": "calls", "limit": 2}, {"metadata": {"tool_name": "pay"}}),
        (
            {"measure": "cost", "limit": "0.03", "currency": "EUR"},
            {"usage": {"cost": "0.015", "currency": "EUR"}},
        ),
    ],
)
def test_each_measure_is_counted(admin, run, said, turn):
    budget(admin, run, **said)
    run.turn(**turn)
    run.turn(**turn)

    assert_refused(tried(run), 409, "budget_reached")


def test_minutes_are_counted_from_the_sessions_beginning(admin, run):
    made = budget(admin, run, measure="minutes", limit=1)
    run.turn()
    turn = Turn.objects.get(session_id=run.id)
    kept, began = Budget.objects.get(id=made["id"]), turn.created_at

    turn.created_at = began + timedelta(seconds=119)

    assert not told(run, "budget.reached")
    assert used_by(kept, turn, began) == 1
    assert used_by(kept, turn, turn.created_at) == 0


def test_a_session_that_has_used_it_up_is_paused_at_once(admin, run):
    spend(run)
    made = budget(admin, run, 10)

    assert made["reached_at"] is not None
    assert_refused(tried(run), 409, "budget_reached")


def test_granting_raises_the_limit_by_what_was_asked_and_resumes(admin, run, ada):
    made = budget(admin, run, 20, on_reach="ask", ask_for=30)
    spend(run), spend(run)
    asked = standing(admin, made)
    assert_refused(tried(run), 409, "budget_reached")

    grant(ada, run, asked["approval_id"], Verdict.APPROVE)

    after = standing(admin, made)
    assert after["limit"] == "50"
    assert after["approval_id"] is None
    spend(run), spend(run)
    assert standing(admin, made)["used"] == "40"
    assert not list(verification.findings(run.id))


def test_people_may_grant_less(admin, run, ada):
    made = budget(admin, run, 20, on_reach="ask", ask_for=30)
    spend(run), spend(run)
    approval_id = standing(admin, made)["approval_id"]

    given = {"budget_id": made["id"], "more": "5"}
    grant(ada, run, approval_id, Verdict.APPROVE, arguments=given)

    assert standing(admin, made)["limit"] == "25"


def test_rejected_it_stays_paused(admin, run, ada):
    made = budget(admin, run, 20, on_reach="ask", ask_for=30)
    spend(run), spend(run)

    grant(ada, run, standing(admin, made)["approval_id"], Verdict.REJECT)

    assert standing(admin, made)["limit"] == "20"
    assert tried(run).status in (409, 423)


def test_people_are_asked_again_where_a_rollback_set_the_question_aside(
    admin, run, ada
):
    made = budget(admin, run, 20, on_reach="ask", ask_for=30)
    spend(run), spend(run)
    first = standing(admin, made)["approval_id"]
    rolled_back_by_people(run, 0)
    resumed_by_people(run)

    spend(run)

    asked = standing(admin, made)["approval_id"]
    assert asked != first
    grant(ada, run, asked, Verdict.APPROVE)
    assert standing(admin, made)["limit"] == "50"
    spend(run)


def test_what_an_agent_asks_for_itself_raises_nothing(admin, run, ada):
    made = budget(admin, run, 100)
    asked = {
        "tool": "budget.raise",
        "arguments": {"budget_id": made["id"], "more": "1000"},
    }
    approval = run.post("approvals", asked)

    grant(ada, run, approval["id"], Verdict.APPROVE)

    assert standing(admin, made)["limit"] == "100"


def test_a_repeated_turn_at_the_limit_counts_once_and_answers_the_same(admin, run):
    budget(admin, run, 10)
    body = {"input": "Hi", "output": "Hello", "usage": {"input_tokens": 10}}
    one = run.client.post(run.path("turns"), body, Idempotency_Key="last")
    again = run.client.post(run.path("turns"), body, Idempotency_Key="last")

    assert one.status == again.status == 201
    assert one.body == again.body
    assert Turn.objects.of_session(run.id).count() == 1
    assert len(told(run, "session.paused")) == 1


def test_a_turn_in_another_currency_is_refused_and_stores_nothing(admin, run):
    budget(admin, run, measure="cost", limit="1", currency="EUR")

    assert_refused(
        tried(run, cost="1", currency="USD"), 422, "usage_currency", "usage.currency"
    )
    assert not Turn.objects.of_session(run.id).exists()


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": "-1"}, "limit"),
        ({"limit": "0.5"}, "limit"),
        ({"limit": 0.5}, "limit"),
        ({"measure": "cost"}, "currency"),
        ({"currency": "EUR"}, "currency"),
        ({"measure": "cost", "currency": "eur"}, "currency"),
        ({"on_reach": "ask"}, "ask_for"),
        ({"ask_for": 5}, "ask_for"),
        ({"agent_id": "travel"}, "session_id"),
        ({"session_id": None}, "session_id"),
        ({"release": "1"}, "release"),
        ({"period": "day"}, "period"),
    ],
)
def test_what_is_no_budget_is_refused_and_says_where(admin, run, said, param):
    body = {"session_id": run.id, "measure": "tokens", "limit": 10, **said}

    assert_refused(admin.post("/v1/budgets", body), 422, "unacceptable_budget", param)
    assert not Budget.objects.exists()


def test_a_session_that_is_closed_takes_no_budget(admin, run):
    run.hold("close")
    body = {"session_id": run.id, "measure": "tokens", "limit": 10}

    assert_refused(admin.post("/v1/budgets", body), 409, "session_closed")
    assert not Budget.objects.exists()


def test_a_cost_in_another_currency_than_the_sessions_is_refused(admin, run):
    run.turn(usage={"cost": "1", "currency": "USD"})
    body = {"session_id": run.id, "measure": "cost", "limit": 1, "currency": "EUR"}

    assert_refused(
        admin.post("/v1/budgets", body), 422, "unacceptable_budget", "currency"
    )


def test_only_administrators_keys_change_budgets_and_all_keys_read_them(admin, run):
    made = budget(admin, run)
    path = f"/v1/budgets/{made['id']}"

    assert run.client.post("/v1/budgets", {}).status == 403
    assert run.client.patch(path, {"limit": 5}).status == 403
    assert run.client.delete(path).status == 403
    assert succeeded(run.client.get(path)).body["id"] == made["id"]
    listed = succeeded(run.client.get("/v1/budgets", {"session_id": run.id})).body
    assert [one["id"] for one in listed["data"]] == [made["id"]]


def test_a_raised_limit_counts_from_the_next_turn_on(admin, run):
    made = budget(admin, run, 10)
    spend(run)
    succeeded(admin.patch(f"/v1/budgets/{made['id']}", {"limit": 100}))
    run.hold("resume")

    spend(run)

    assert standing(admin, made)["reached_at"] is None


def test_a_removed_one_is_held_to_no_more(admin, run):
    made = budget(admin, run, 10)
    succeeded(admin.delete(f"/v1/budgets/{made['id']}"))
    spend(run), spend(run)

    assert not Session.objects.get(id=run.id).is_watched
    assert admin.get(f"/v1/budgets/{made['id']}").status == 404


def test_a_fork_has_no_budget_and_has_used_nothing(admin, run):
    budget(admin, run, 10)
    spend(run)
    fork = run.fork(version=0)

    spend(fork), spend(fork)

    assert not Session.objects.get(id=fork.id).is_watched


@pytest.mark.django_db(transaction=True)
def test_of_turns_at_once_at_the_limit_one_crosses_and_the_rest_are_refused(admin, run):
    budget(admin, run, 30)

    def one(_: int) -> int:
        try:
            return int(tried(run, input_tokens=10).status)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(one, range(8)))

    assert sorted(answers) == [201] * 3 + [409] * 5
    assert Turn.objects.of_session(run.id).count() == 3
    assert len(told(run, "budget.reached")) == 1
    assert not list(verification.findings(run.id))


@pytest.mark.django_db(transaction=True)
def test_raising_it_while_turns_come_loses_neither(admin, run):
    made = budget(admin, run, 1000)

    def one(number: int) -> int:
        try:
            if number % 3:
                return int(tried(run, input_tokens=10).status)
            path = f"/v1/budgets/{made['id']}"
            return int(admin.patch(path, {"limit": 1000 + number}).status)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(one, range(12)))

    assert set(answers) == {200, 201}
    assert standing(admin, made)["used"] == "80"
