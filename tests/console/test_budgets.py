"""The pages of budgets: above a session's timeline, on an agent's page, in metrics."""

from __future__ import annotations

from typing import Any

import pytest

from apps.accounts.models import Role, Scope
from apps.agents.models import Agent
from apps.guards.models import Budget
from tests.console.agent_pages import plain
from tests.console.test_approvals import Person
from tests.timeline import runs
from tests.timeline.runs import Run, succeeded

pytestmark = pytest.mark.django_db
USED = {"input_tokens": 1200, "output_tokens": 300, "cost": "0.5", "currency": "EUR"}
BUDGET = {
    "measure": "tokens",
    "limit": "100000",
    "period": "day",
    "on_reach": "pause",
    "warn_percent": "75",
}


@pytest.fixture
def run(api: runs.Clients) -> Run:
    return runs.begin(api(), {"step": "begin"})


@pytest.fixture
def ada(project: Any) -> Person:
    return Person(project, Role.ADMIN, "ada")


@pytest.fixture
def admin(api: runs.Clients, make_key: Any) -> Any:
    return api(make_key(scope=Scope.ADMIN))


def test_what_a_session_used_and_its_budget_stand_above_its_timeline(
    ada: Person, run: Run, admin: Any
) -> None:
    said = {"session_id": run.id, "measure": "cost", "limit": "1", "currency": "EUR"}
    succeeded(admin.post("/v1/budgets", said))
    run.turn(usage=USED)
    run.turn()

    page = plain(ada.looks("session_detail", run.id))

    assert "1,200 tokens in, 300 out, 0.5 EUR" in page
    assert "1 of 2 turns said what was used" in page
    assert "Budget: 0.5 EUR of 1 EUR" in page


def test_a_session_whose_turns_say_nothing_has_no_such_line(
    ada: Person, run: Run
) -> None:
    run.turn()

    assert "tokens in" not in ada.looks("session_detail", run.id)


def test_a_session_that_a_budget_holds_says_why_and_with_which_answer(
    ada: Person, run: Run, admin: Any
) -> None:
    said = {"session_id": run.id, "measure": "turns", "limit": 1}
    succeeded(admin.post("/v1/budgets", said))
    run.turn()

    page = plain(ada.looks("session_detail", run.id))

    assert "answered with 409 until" in page
    assert "of 1 turns is reached" in page


def test_an_administrator_makes_and_removes_an_agents_budgets(
    ada: Person, project: Any, run: Run
) -> None:
    olga = Person(project, Role.OPERATOR, "olga")
    agent = Agent.objects.get(external_id="travel").id
    assert "Budgets" in ada.looks("agent_detail", agent)
    assert olga.acts("budgets", agent).status_code == 403

    refused = ada.acts("budgets", agent, **BUDGET | {"limit": "1.5"})
    not_told = ada.acts("budgets", agent, **BUDGET | {"limit": "<b>"})
    made = ada.acts("budgets", agent, **BUDGET)

    assert refused.status_code == not_told.status_code == 422
    assert "A budget of tokens is whole." in refused.content.decode()
    assert "&lt;b&gt;" in not_told.content.decode()
    assert made.status_code == 303
    page = plain(ada.looks("budgets", agent))
    assert "0 of 100,000" in page
    assert "it warns at 75 %" in page
    (kept,) = Budget.objects.all()
    assert ada.acts("delete_budget", agent, "budg_" + "0" * 26).status_code == 404
    assert ada.acts("delete_budget", agent, kept.id).status_code == 303
    assert not Budget.objects.exists()


def test_metrics_have_tokens_and_cost_by_model(ada: Person, run: Run) -> None:
    run.turn(usage=USED, model="large")
    run.turn()

    page = plain(ada.looks("metrics"))

    assert "Tokens and cost by model" in page
    assert "0.5 EUR" in page
    assert "1 of 2 turns said what was used" in page
