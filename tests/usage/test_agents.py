"""Budgets of agents and releases, by the rollups; and what metrics say of usage."""

from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from apps.agents.models import Agent
from apps.audit.models import Event
from apps.console.pages.metrics import metrics_page
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.guards import operations as guards
from apps.guards.models import Budget
from apps.guards.operations import sweeping
from apps.metrics import ranges, rollups
from apps.metrics.models import Usage as UsageOfHour
from apps.timeline import operations as timeline
from apps.timeline.hooks.used import Usage
from apps.timeline.models import Session
from apps.timeline.operations import Step
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import feed_all
from tests.metrics.make import (
    HELLO,
    LOCKED,
    NO_ROOM,
    TOO_LONG,
    Told,
    at,
    refused,
    roll_up,
)
from tests.timeline import runs
from tests.timeline.runs import assert_refused, succeeded

pytestmark = pytest.mark.django_db


def budget(admin: Any, limit: Any, **said: Any) -> Any:
    body = {"agent_id": "travel", "measure": "tokens", "limit": limit, **said}
    return succeeded(admin.post("/v1/budgets", body)).body


def spend(run: runs.Run, **fields: Any) -> Any:
    usage = {"input_tokens": 8, "output_tokens": 2, "cost": "0.1", "currency": "EUR"}
    return run.turn(usage=usage, **fields)


def status(run: runs.Run) -> str:
    return str(Session.objects.get(id=run.id).status)


def told(action: str) -> list[Any]:
    return [one.details for one in Event.objects.filter(action=action)]


def usage(client: Any, **query: Any) -> Any:
    return succeeded(client.get("/v1/metrics/usage", query or None)).body


@pytest.fixture
def other(api: runs.Clients) -> runs.Run:
    return runs.begin(api(), {"step": "begin"})


def test_all_sessions_of_an_agent_count_and_are_paused_by_the_next_sweep(
    admin, run, other
):
    made = budget(admin, 25)
    spend(run), spend(other), spend(run)

    guards.sweep(actor=SYSTEM, now=timezone.now())

    assert [status(run), status(other)] == ["paused", "paused"]
    body = {"input": "Hi", "output": "Hello"}
    assert_refused(run.client.post(run.path("turns"), body), 409, "budget_reached")
    assert len(told("budget.reached")) == 1
    found = succeeded(admin.get(f"/v1/budgets/{made['id']}")).body
    assert (found["scope"], found["used"]) == ("agent", "30")
    assert found["reached_at"] is not None


def test_below_it_nothing_is_paused_and_it_warns_once(admin, run):
    budget(admin, 12)
    spend(run)

    guards.sweep(actor=SYSTEM, now=timezone.now())
    guards.sweep(actor=SYSTEM, now=timezone.now())

    assert status(run) == "active"
    assert [one["used"] for one in told("budget.warned")] == ["10"]


def test_one_that_only_warns_tells_it_once(admin, run):
    budget(admin, 5, on_reach="warn", warn_percent=None)
    spend(run)

    guards.sweep(actor=SYSTEM, now=timezone.now())
    guards.sweep(actor=SYSTEM, now=timezone.now())

    assert status(run) == "active"
    assert len(told("budget.reached")) == 1


def test_a_days_budget_begins_anew(admin, run):
    budget(admin, 5, period="day")
    spend(run)
    guards.sweep(actor=SYSTEM, now=timezone.now())
    assert_refused(run.client.post(run.path("resume"), {}), 409, "budget_reached")
    Budget.objects.update(period_start=timezone.now() - timedelta(days=1))
    run.hold("resume")

    guards.sweep(actor=SYSTEM, now=timezone.now() + timedelta(days=1))

    assert status(run) == "active"


def test_a_release_is_counted_and_paused_alone(admin, run, other):
    budget(admin, 5, release="1.2")
    spend(run, state_after={"a": 1}, release="1.2", model="large")
    spend(other, state_after={"a": 1}, release="1.3", model="large")

    guards.sweep(actor=SYSTEM, now=timezone.now())

    assert [status(run), status(other)] == ["paused", "active"]


@pytest.mark.parametrize("measure", ["turns", "calls"])
def test_turns_and_calls_of_an_agent_are_counted(admin, run, measure):
    budget(admin, 2, measure=measure)
    for _ in range(2):
        run.turn(metadata={"tool_name": "pay"})

    guards.sweep(actor=SYSTEM, now=timezone.now())

    assert status(run) == "paused"


def test_people_are_asked_for_more_where_it_says_so(admin, run):
    made = budget(admin, 5, on_reach="ask", ask_for=100)
    spend(run)

    with acting_as(Role.WORKER):
        guards.sweep(actor=SYSTEM, now=timezone.now())

    found = succeeded(admin.get(f"/v1/budgets/{made['id']}")).body
    assert found["approval_id"] is not None
    asked = succeeded(run.client.get(f"/v1/approvals/{found['approval_id']}")).body
    assert asked["arguments"]["more"] == "100"


def test_people_are_asked_again_where_the_question_went_with_its_session(
    admin, run, other, project
):
    made = budget(admin, 5, on_reach="ask", ask_for=100)
    spend(run)
    guards.sweep(actor=SYSTEM, now=timezone.now())
    first = succeeded(admin.get(f"/v1/budgets/{made['id']}")).body["approval_id"]
    succeeded(run.client.delete(f"/v1/sessions/{run.id}"))
    act = act_in(project, SYSTEM)
    timeline.resume(act=act, session_id=other.id, step=Step())

    guards.sweep(actor=SYSTEM, now=timezone.now())
    guards.sweep(actor=SYSTEM, now=timezone.now())

    after = succeeded(admin.get(f"/v1/budgets/{made['id']}")).body["approval_id"]
    asked = succeeded(run.client.get(f"/v1/approvals/{after}")).body
    assert (asked["session_id"], asked["status"]) == (other.id, "pending")
    assert after != first


def test_however_many_budgets_there_are_each_is_held_to(admin, run, monkeypatch):
    monkeypatch.setattr(sweeping, "AT_A_TIME", 2)
    for _ in range(4):
        budget(admin, 1_000)
    budget(admin, 5)
    spend(run)

    assert guards.sweep(actor=SYSTEM, now=timezone.now()) == 5

    assert status(run) == "paused"


@pytest.mark.parametrize("statements", [TOO_LONG, LOCKED])
def test_a_budget_that_cannot_be_looked_at_holds_up_no_other(
    admin, run, monkeypatch, statements
):
    first = budget(admin, 5)
    budget(admin, 5)
    spend(run)
    used_in = sweeping.used_in

    def failing(one, now):
        if one.id == first["id"]:
            refused(statements)
        return used_in(one, now)

    monkeypatch.setattr(sweeping, "used_in", failing)

    assert guards.sweep(actor=SYSTEM, now=timezone.now()) == 2

    assert status(run) == "paused"
    assert [one["budget_id"] == first["id"] for one in told("budget.reached")] == [
        False
    ]


@pytest.mark.parametrize("statements", [TOO_LONG, LOCKED])
def test_a_session_that_somebody_keeps_locked_holds_up_no_other(
    admin, run, other, monkeypatch, statements
):
    budget(admin, 5)
    spend(run), spend(other)
    tried = held_up(monkeypatch, statements)

    guards.sweep(actor=SYSTEM, now=timezone.now())

    assert len(tried) == 2
    assert {one.id: status(one) for one in (run, other)} == {
        tried[0]: "active",
        tried[1]: "paused",
    }


def test_a_database_in_need_ends_the_look_at_all_budgets(
    admin, run, other, monkeypatch
):
    budget(admin, 5)
    spend(run), spend(other)
    tried = held_up(monkeypatch, NO_ROOM)

    with pytest.raises(OperationalError):
        guards.sweep(actor=SYSTEM, now=timezone.now())

    assert len(tried) == 1


def held_up(monkeypatch: pytest.MonkeyPatch, statements: tuple[str, ...]) -> list[str]:
    """Have the first session's lock refused; return whose were asked for, in order."""
    lock_head, tried = timeline.lock_head, []

    def locking(*, act: Any, session_id: str) -> Any:
        if session_id not in tried:
            tried.append(session_id)
        if session_id == tried[0]:
            refused(statements)
        return lock_head(act=act, session_id=session_id)

    monkeypatch.setattr(sweeping.timeline, "lock_head", locking)
    return tried


def test_metrics_say_of_how_many_turns_they_are(admin, run):
    spend(run, model="large", state_after={"a": 1})
    spend(run, model="small", state_after={"a": 2})
    run.turn()

    found = usage(admin)

    assert found["turns"] == 3
    assert found["total"]["turns"] == 2
    assert found["total"]["costs"] == [{"currency": "EUR", "cost": "0.2"}]
    assert {one["value"] for one in found["data"]} == {"large", "small"}
    assert [one["value"] for one in usage(admin, by="agent")["data"]] == ["travel"]
    assert_refused(
        admin.get("/v1/metrics/usage", {"by": "colour"}), 400, "invalid_request", "by"
    )


@pytest.mark.parametrize("is_rolled_up", [False, True])
def test_a_short_range_counts_all_turns_of_the_hours_that_its_usage_is_of(
    admin, project, is_rolled_up
):
    said = replace(HELLO, usage=Usage(input_tokens=8))
    run = Told(project, "11:30").turn("11:59", exchange=said)
    run.turn("12:05", exchange=said).turn("12:08").turn("12:30").turn("13:20")
    Told(project, "12:00", agent="refund").turn("12:30")
    if is_rolled_up:
        roll_up("+1 00:00")
    hour = {"from": at("12:10").isoformat(), "to": at("13:10").isoformat()}

    found = usage(admin, agent_id="travel", **hour)

    assert (found["total"]["turns"], found["turns"]) == (1, 4)
    assert found["from"] == "2026-03-10T12:00:00.000000Z"
    assert found["to"] == "2026-03-10T14:00:00.000000Z"
    assert usage(admin, **hour)["turns"] == 5
    asked = metrics_page.ask(
        project.id,
        ranges.between(at("12:10"), at("13:10"), now=at("13:10")),
        agent=Agent.objects.get(external_id="travel"),
        is_compared=False,
        zone=UTC,
    )
    shown = metrics_page.shown(asked, "")
    assert (shown["usage"].total.turns, shown["turns"]) == (1, 4)


def test_rolled_up_it_says_the_same_and_a_rebuild_too(admin, run, project):
    spend(run, model="large", state_after={"a": 1})
    run.rollback(0)
    spend(run)
    before = usage(admin)["data"]
    later = timezone.now() + timedelta(hours=2)

    feed_all(now=timezone.now())
    rollups.sweep(now=later)
    rolled = list(UsageOfHour.objects.order_by("pk").values())
    after = usage(admin)["data"]
    rollups.rebuild(project_id=project.id, now=later, tell=lambda *_: None)

    assert rolled
    assert before == after == usage(admin)["data"]
    assert list(UsageOfHour.objects.order_by("pk").values()) == rolled


def test_another_projects_usage_is_not_seen(run, api, make_key, other_project):
    spend(run)

    found = usage(api(make_key(project=other_project)))

    assert found["total"]["turns"] == found["turns"] == 0
