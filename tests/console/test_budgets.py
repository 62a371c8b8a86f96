"""The pages of budgets: above a session's timeline, on an agent's page, in metrics."""

from __future__ import annotations

import re
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

SESSIONS = {
    "measure": "turns",
    "limit": "10",
    "on_reach": "pause",
    "warn_percent": "80",
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


def test_an_administrator_makes_changes_and_removes_a_sessions_budget(
    ada: Person, run: Run
) -> None:
    assert "Budgets…" in ada.looks("session_detail", run.id)
    assert "has no budget of its own" in plain(ada.looks("session_budgets", run.id))

    told = SESSIONS | {"limit": "2"}
    assert ada.acts("session_budgets", run.id, **told).status_code == 303
    kept = Budget.objects.get()
    run.turn(), run.turn()

    page = plain(ada.looks("session_budgets", run.id))
    assert "2 of 2 reached" in page
    assert "it is paused" in page
    wrong = ada.acts("change_session_budget", run.id, kept.id, limit="<i>")
    assert wrong.status_code == 422
    assert "&lt;i&gt;" in wrong.content.decode()
    assert "This takes a decimal text" in wrong.content.decode()
    changed = ada.acts("change_session_budget", run.id, kept.id, limit="12")
    assert changed.status_code == 303
    assert "2 of 12" in plain(ada.looks("session_budgets", run.id))
    assert ada.acts("delete_session_budget", run.id, kept.id).status_code == 303
    assert not Budget.objects.exists()


@pytest.mark.parametrize("page", ["budgets", "session_budgets"])
def test_a_form_that_is_sent_twice_makes_one_budget(
    ada: Person, run: Run, page: str
) -> None:
    agent = Agent.objects.get(external_id="travel").id
    of, typed = {"budgets": (agent, BUDGET), "session_budgets": (run.id, SESSIONS)}[
        page
    ]
    keys = [key_on(ada.looks(page, of)) for _ in range(2)]

    twice = [ada.acts(page, of, **typed, key=keys[0]) for _ in range(2)]
    assert {one.status_code for one in twice} == {303}
    assert Budget.objects.count() == 1
    assert ada.acts(page, of, **typed, key=keys[1]).status_code == 303
    assert Budget.objects.count() == 2


def key_on(page: str) -> str:
    found = re.findall(r'class="stacked".*?name="key" value="([^"]+)"', page, re.DOTALL)
    return str(found[0])


def test_what_is_typed_wrong_of_a_sessions_budget_is_told_beside_its_field(
    ada: Person, run: Run
) -> None:
    wrong = SESSIONS | {"measure": "cost", "limit": "1", "currency": ""}

    refused = ada.acts("session_budgets", run.id, **wrong)

    assert refused.status_code == 422
    assert "A cost has a currency" in refused.content.decode()
    assert "id_currency_error" in refused.content.decode()
    assert not Budget.objects.exists()


def test_a_sessions_budgets_are_administrators_and_of_this_session_alone(
    ada: Person, run: Run, admin: Any, project: Any, api: runs.Clients
) -> None:
    olga = Person(project, Role.OPERATOR, "olga")
    other = runs.begin(api(), {"step": "begin"})
    said = {"session_id": other.id, "measure": "turns", "limit": 5}
    made = succeeded(admin.post("/v1/budgets", said)).body["id"]

    assert "Budgets…" not in olga.looks("session_detail", run.id)
    assert olga.acts("session_budgets", run.id, **SESSIONS).status_code == 403
    assert olga.looks("session_budgets", run.id, status=403)
    for name in ("change_session_budget", "delete_session_budget"):
        assert ada.acts(name, run.id, made, limit="9").status_code == 404
    assert ada.looks("session_budgets", "sess_" + "0" * 26, status=404)
    assert [one.most for one in Budget.objects.all()] == [5]


def test_a_session_that_is_closed_takes_no_budget(ada: Person, run: Run) -> None:
    run.hold("close")

    assert "Another budget" not in ada.looks("session_budgets", run.id)
    assert ada.acts("session_budgets", run.id, **SESSIONS).status_code == 409
    assert not Budget.objects.exists()


def test_metrics_have_tokens_and_cost_by_model(ada: Person, run: Run) -> None:
    run.turn(usage=USED, model="large")
    run.turn()

    page = plain(ada.looks("metrics"))

    assert "Tokens and cost by model" in page
    assert "0.5 EUR" in page
    assert "1 of 2 turns said what was used" in page
