"""The pages of guards: made, tried, switched on, and told of above a timeline."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.guards import trying
from apps.guards.models import Guard
from tests.console.agent_pages import plain
from tests.console.test_approvals import Person
from tests.guards.make import CORRUPTED, TRIP, forget
from tests.timeline import runs
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db
NULLS = {"name": "No nulls", "kind": "null_spree", "line": ""}


@pytest.fixture
def run(api: runs.Clients) -> Run:
    return runs.begin(api(), TRIP)


@pytest.fixture
def ada(project: Any) -> Person:
    return Person(project, Role.ADMIN, "ada")


@pytest.fixture
def agent(run: Run) -> str:
    return str(Agent.objects.get(external_id="travel").id)


def test_an_administrator_makes_tries_and_switches_on_a_guard(
    ada: Person, run: Run, agent: str
) -> None:
    run.patch(CORRUPTED)
    assert "Guards: what its writes" in ada.looks("agent_detail", agent)
    assert ada.acts("agent_guards", agent, **NULLS).status_code == 303
    made = Guard.objects.get()

    page = plain(ada.looks("agent_guard", agent, made.id))
    assert "A write does not pass where 2 values or more turn null at once" in page
    assert "No write has failed it." in page
    change = {"name": "No nulls", "line": "2", "mode": "hold"}
    refused = ada.acts("agent_guard", agent, made.id, **change)
    assert refused.status_code == 422
    assert "was not tried to the end" in refused.content.decode()
    assert ada.acts("try_guard", agent, made.id).status_code == 303
    assert "Not done yet." in plain(ada.looks("agent_guard", agent, made.id))
    trying.sweep(now=timezone.now())

    page = plain(ada.looks("agent_guard", agent, made.id))
    assert "1 of 2 writes did not pass, in 1 of 1 sessions" in page
    assert f"{run.id} v1" in page
    assert ada.acts("agent_guard", agent, made.id, **change).status_code == 303
    assert "it holds" in plain(ada.looks("agent_guards", agent))


def test_what_another_administrator_changed_meanwhile_is_not_changed_back(
    ada: Person, agent: str
) -> None:
    ada.acts("agent_guards", agent, **NULLS)
    made = Guard.objects.get()
    shown = ada.looks("agent_guard", agent, made.id)
    sent = {
        "name": "Nulls, milder",
        "line": "2",
        "mode": "observe",
        "seen": seen_on(shown),
    }
    stricter = {**sent, "name": "No nulls", "line": "1"}
    assert ada.acts("agent_guard", agent, made.id, **stricter).status_code == 303
    ada.acts("try_guard", agent, made.id)
    trying.sweep(now=timezone.now())
    held = {**stricter, "mode": "hold", "seen": "2 observe No nulls"}
    assert ada.acts("agent_guard", agent, made.id, **held).status_code == 303

    refused = ada.acts("agent_guard", agent, made.id, **sent)

    assert refused.status_code == 303
    page = ada.client.get(refused["Location"]).content.decode()
    assert "Somebody has changed this guard since you looked" in page
    assert "Nulls, milder" in page
    guard = Guard.objects.get()
    assert (guard.name, guard.mode, guard.revision) == ("No nulls", "hold", 2)
    again = {**sent, "line": "1", "mode": "hold", "seen": seen_on(page)}
    assert ada.acts("agent_guard", agent, made.id, **again).status_code == 303
    assert Guard.objects.get().name == "Nulls, milder"


def seen_on(page: str) -> str:
    (found,) = re.findall(r'name="seen" value="([^"]*)"', page)
    return str(found)


def test_what_is_typed_wrong_is_told_beside_its_field(ada: Person, agent: str) -> None:
    wrong = {"name": "<b>", "kind": "check", "line": "state.a>"}

    page = ada.acts("agent_guards", agent, **wrong)

    assert page.status_code == 422
    assert "&lt;b&gt;" in page.content.decode()
    assert "id_line_error" in page.content.decode()
    assert not Guard.objects.exists()


def test_a_guard_of_another_agent_or_withdrawn_is_no_page(
    ada: Person, agent: str
) -> None:
    ada.acts("agent_guards", agent, **NULLS)
    made = Guard.objects.get()
    unknown = "guar_" + "0" * 26

    assert ada.acts("withdraw_guard", agent, unknown).status_code == 404
    assert ada.acts("withdraw_guard", agent, made.id).status_code == 303
    assert ada.acts("try_guard", agent, made.id).status_code == 404
    assert "There are no guards" in ada.looks("agent_guards", agent)


def test_a_guards_page_has_what_it_found_and_how_often_it_refused(
    ada: Person, run: Run, agent: str
) -> None:
    ada.acts("agent_guards", agent, **NULLS)
    made = Guard.objects.get()
    ada.acts("try_guard", agent, made.id)
    trying.sweep(now=timezone.now())
    forget()
    run.patch(CORRUPTED)
    run.put(TRIP)
    refuse = {"name": "No nulls", "line": "2", "mode": "refuse"}
    assert ada.acts("agent_guard", agent, made.id, **refuse).status_code == 303
    forget()
    refused = run.client.send("PATCH", run.path("state"), {"state": CORRUPTED})
    assert refused.status == 422

    page = plain(ada.looks("agent_guard", agent, made.id))

    assert "1 write refused in the last 7 days." in page
    assert "refused, nothing was stored" in page
    assert f"{run.id} v1" in page
    assert f"{run.id} v3" not in page


def test_operators_make_no_guards(project: Any, agent: str) -> None:
    olga = Person(project, Role.OPERATOR, "olga")

    assert olga.acts("agent_guards", agent, **NULLS).status_code == 403


def test_verdicts_stand_above_a_sessions_timeline(
    ada: Person, run: Run, agent: str
) -> None:
    before = ada.looks("session_detail", run.id)
    ada.acts("agent_guards", agent, **NULLS)
    forget()
    run.patch(CORRUPTED)

    page = plain(ada.looks("session_detail", run.id))

    assert "the guard" not in before
    assert "v1 does not pass the guard No nulls: observed" in page
