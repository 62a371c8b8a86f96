"""Sessions are found by how their budgets stand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.timeline import runs
from tests.timeline.search.asking import ids, page
from tests.usage.test_budgets import budget, resumed_by_people, spend

pytestmark = pytest.mark.django_db


@pytest.fixture
def spenders(admin: Any, api: runs.Clients) -> dict[str, runs.Run]:
    """Sessions with a budget of 100 tokens that used some, most, and all of it."""
    made = {name: runs.begin(api()) for name in ("some", "most", "all", "none")}
    for name, tokens in (("some", 10), ("most", 90), ("all", 110)):
        budget(admin, made[name], 100, warn_percent=80)
        spend(made[name], tokens)
    spend(made["none"], 110)
    return made


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("budget:any", ["all", "most", "some"]),
        ("budget:warned", ["most"]),
        ("budget:reached", ["all"]),
        ("budget:any -budget:reached", ["most", "some"]),
        ("-budget:any", ["none"]),
    ],
)
def test_each_word_finds_the_sessions_whose_budget_stands_so(
    spenders: dict[str, runs.Run], q: str, names: list[str]
) -> None:
    client = spenders["all"].client

    assert sorted(ids(client, q)) == sorted(spenders[name].id for name in names)
    # No index has it, which the answer says.
    assert all("looked through" in one for one in page(client, q)["notices"])


def test_what_people_grant_takes_it_out_again(
    spenders: dict[str, runs.Run], admin: Any
) -> None:
    run = spenders["all"]
    (made,) = admin.get("/v1/budgets", {"session_id": run.id}).body["data"]

    assert (
        admin.send("PATCH", f"/v1/budgets/{made['id']}", {"limit": 500}).status == 200
    )
    resumed_by_people(run)

    assert ids(run.client, "budget:reached") == []
    assert run.id in ids(run.client, "budget:any")


def test_a_stranger_finds_none_of_them(
    spenders: dict[str, runs.Run], api: runs.Clients, make_key: Any, other_project: Any
) -> None:
    stranger = api(make_key(project=other_project))

    assert ids(stranger, "budget:any") == []
