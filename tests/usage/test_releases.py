"""Budgets of a release count calls, turns and minutes, as an agent's do.

What they count is rolled up by the hour and asked of the rollups: no write looks at it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from apps.audit.models import Event
from apps.core.actors import SYSTEM
from apps.guards import operations as guards
from apps.guards.models import Budget
from apps.guards.standing import used_of
from apps.metrics import rollups
from apps.metrics.models import Worked
from apps.timeline import operations as timeline
from apps.timeline.operations import Step
from tests.acts import act_in
from tests.feeding import feed_all
from tests.metrics.make import Told
from tests.timeline import runs
from tests.timeline.keeping.taking import prune
from tests.timeline.runs import assert_refused, succeeded
from tests.usage.test_agents import status
from tests.usage.test_budgets import resumed_by_people, standing

pytestmark = pytest.mark.django_db
RELEASE = "1.2"


def budget(admin: Any, measure: str, limit: Any, **said: Any) -> Any:
    body = {"agent_id": "travel", "release": RELEASE, "measure": measure}
    return succeeded(admin.post("/v1/budgets", body | {"limit": limit} | said)).body


def sweep() -> None:
    guards.sweep(actor=SYSTEM, now=timezone.now())


def of(api: runs.Clients, release: str) -> runs.Run:
    """Return a session whose head is a version of this release."""
    run = runs.begin(api(), {"step": "begin"})
    run.patch({"a": 1}, release=release)
    return run


@pytest.fixture(autouse=True)
def agent(api: runs.Clients) -> runs.Run:
    """Have the agent write once: whoever is held to a budget is known."""
    return of(api, "0.9")


@pytest.mark.parametrize(
    ("measure", "turn"),
    [("turns", {}), ("calls", {"metadata": {"tool_name": "pay"}})],
)
def test_a_release_is_paused_alone_also_where_turns_say_nothing_of_what_they_used(
    admin, api, measure, turn
):
    made = budget(admin, measure, 2)
    run, other = of(api, RELEASE), of(api, "1.3")
    for _ in range(2):
        run.turn(**turn)
    for _ in range(3):
        other.turn(**turn)

    sweep()

    assert [status(run), status(other)] == ["paused", "active"]
    assert standing(admin, made)["used"] == "2"
    refused = run.client.post(run.path("turns"), {"input": "Hi", "output": "Hello"})
    assert_refused(refused, 409, "budget_reached")


def test_calls_count_turns_with_a_call_alone(admin, api):
    made = budget(admin, "calls", 5)
    run = of(api, RELEASE)
    run.turn(), run.turn(metadata={"tool_name": "pay"})

    assert standing(admin, made)["used"] == "1"


def test_a_turn_is_laid_to_what_it_says_else_to_its_version_else_to_the_head(
    admin, api
):
    mine, others = budget(admin, "turns", 100), budget(admin, "turns", 100, release="2")
    run = of(api, RELEASE)

    run.turn()
    run.turn(state_after={"a": 2})
    run.turn(state_after={"a": 3}, release="2")
    run.turn()
    run.turn(usage={"input_tokens": 1}, release=RELEASE)

    assert standing(admin, mine)["used"] == "3"
    assert standing(admin, others)["used"] == "2"


def test_minutes_are_what_sessions_took_up_to_their_turns(admin, project):
    made = budget(admin, "minutes", 1000)
    of_agent = budget(admin, "minutes", 1000, release=None)
    start = timezone.now().replace(minute=0, second=0, microsecond=0)
    began = start + timedelta(minutes=1)
    told = Told(project, began, release=RELEASE)
    told.turn(began + timedelta(minutes=10))
    told.turn(began + timedelta(minutes=12, seconds=59))
    second = Told(project, began, release="2")
    second.turn(began + timedelta(minutes=5))

    now = start + timedelta(hours=1)
    used = {one.release: used_of(one, now) for one in Budget.objects.order_by("id")}

    assert used == {RELEASE: 12, None: 17}
    assert {made["scope"], of_agent["scope"]} == {"release", "agent"}


def test_rolled_up_and_rebuilt_it_says_the_same(admin, api, project):
    made = {
        measure: budget(admin, measure, 100)
        for measure in ("turns", "calls", "minutes")
    }
    run = of(api, RELEASE)
    run.turn(metadata={"tool_name": "pay"})
    run.rollback(0)
    run.turn(usage={"input_tokens": 1}, release=RELEASE)
    before = {one: standing(admin, made[one])["used"] for one in made}
    later = timezone.now() + timedelta(hours=2)

    feed_all(now=timezone.now())
    rollups.sweep(now=later)
    rolled = list(Worked.objects.order_by("pk").values())
    after = {one: standing(admin, made[one])["used"] for one in made}
    rollups.rebuild(project_id=project.id, now=later, tell=lambda *_: None)

    assert before == after == {"turns": "2", "calls": "1", "minutes": "0"}
    assert sum(one["turns"] for one in rolled) == 2
    assert list(Worked.objects.order_by("pk").values()) == rolled


def test_a_turn_whose_one_before_was_removed_adds_no_minutes(admin, project):
    budget(admin, "minutes", 1000, release=None)
    start = timezone.now().replace(minute=0, second=0, microsecond=0)
    told = Told(project, start)
    told.turn(start + timedelta(minutes=2), state={"n": 1})
    told.turn(start + timedelta(minutes=9), state={"n": 2})
    told.update(start + timedelta(minutes=10))
    now = start + timedelta(minutes=59)
    made = Budget.objects.get()
    assert used_of(made, now) == 9

    prune(told, 0, 1)

    assert used_of(made, now) == 2


def test_a_release_that_is_asked_for_more_asks_in_one_of_its_sessions(admin, api):
    made = budget(admin, "turns", 1, on_reach="ask", ask_for=5)
    run, other = of(api, RELEASE), of(api, "1.3")
    run.turn(), other.turn()

    sweep()

    found = standing(admin, made)
    asked = succeeded(run.client.get(f"/v1/approvals/{found['approval_id']}")).body
    assert (asked["session_id"], asked["arguments"]["used"]) == (run.id, "1")


def test_it_warns_once_and_a_half_a_turn_is_no_limit(admin, api):
    made = budget(admin, "turns", 4, warn_percent=50)
    run = of(api, RELEASE)
    run.turn(), run.turn()

    sweep()
    sweep()

    warned = [one.details for one in Event.objects.filter(action="budget.warned")]
    assert [one["used"] for one in warned] == ["2"]
    path = f"/v1/budgets/{made['id']}"
    assert_refused(
        admin.patch(path, {"limit": "1.5"}), 422, "unacceptable_budget", "limit"
    )


@pytest.mark.django_db(transaction=True)
def test_turns_of_two_sessions_at_once_are_all_counted_and_told_of_once(admin, api):
    made = budget(admin, "turns", 8)
    sessions = [of(api, RELEASE), of(api, RELEASE)]

    def one(number: int) -> None:
        try:
            sessions[number % 2].turn(metadata={"tool_name": "pay"})
        finally:
            connections.close_all()

    def look(_: int) -> None:
        try:
            sweep()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(8)))
        list(pool.map(look, range(3)))

    assert standing(admin, made)["used"] == "8"
    assert [status(run) for run in sessions] == ["paused", "paused"]
    assert Event.objects.filter(action="budget.reached").count() == 1


@pytest.mark.parametrize(
    ("measure", "turn"), [("turns", {}), ("tokens", {"usage": {"input_tokens": 1}})]
)
def test_resumed_by_people_a_release_is_paused_again_by_its_next_turn(
    admin, api, measure, turn
):
    made = budget(admin, measure, 1)
    run = of(api, RELEASE)
    run.turn(**turn)
    sweep()
    resumed_by_people(run)

    run.turn(**turn)
    sweep()

    assert standing(admin, made)["used"] == "2"
    assert status(run) == "paused"


def test_stepped_back_by_people_the_agent_still_writes_with_its_release(
    admin, api, project
):
    made = budget(admin, "turns", 10)
    run = of(api, RELEASE)
    timeline.rollback(act=act_in(project, SYSTEM), session_id=run.id, to=0, step=Step())

    run.turn(), run.turn(usage={"input_tokens": 1}), run.turn(state_after={"a": 5})

    assert standing(admin, made)["used"] == "3"
