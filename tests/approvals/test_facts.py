"""Facts that fail a check: what rests on them is void, and is asked again.

The executive's case: what an agent remembers of a price, days later, is not the price.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from apps.accounts.models import User
from apps.audit.models import Event
from tests.approvals.make import read, voted
from tests.conftest import Answer
from tests.timeline.runs import Clients, Run, assert_refused, begin

pytestmark = pytest.mark.django_db
PRICE = {"key": "price", "value": 500, "source": "airline.example"}
BUY = {
    "tool": "buy_ticket",
    "arguments": {"flight": "LH 123", "up_to": 500},
    "depends_on": ["fact:price"],
    "key": "buy",
}


@pytest.fixture
def trip(api: Clients) -> Run:
    return begin(api(), {"city": "Rome"}, facts=[PRICE])


def checked(run: Run, values: Any, **fields: Any) -> Answer:
    return run.client.post(run.path("facts", "check"), {"values": values, **fields})


def test_the_executive_is_asked_again_when_the_price_has_changed(
    trip: Run, project: Any, olga: User
) -> None:
    old = trip.post("approvals", BUY)
    voted(project, olga, old["id"])

    answer = checked(trip, {"price": 620})

    assert_refused(answer, 409, "assumptions_changed")
    (fact,) = answer.body["error"]["facts"]
    assert (fact["status"], fact["was"], fact["now"]) == ("changed", 500, 620)
    (new,) = answer.body["error"]["approvals"]
    assert new["changes"] == [
        {"key": "price", "status": "changed", "was": 500, "now": 620}
    ]
    assert (new["replaces"], new["status"]) == (old["id"], "pending")
    assert read(trip, old["id"])["status"] == "voided"
    # What was found is what is known now.
    assert checked(trip, {"price": 620}).status == 200
    waits = trip.client.post(trip.path("effects"), begun())
    assert (waits.status, waits.body["approval"]["id"]) == (202, new["id"])

    voted(project, olga, new["id"])

    assert trip.client.post(trip.path("effects"), begun()).status == 201


def begun() -> dict[str, Any]:
    return {"key": "buy", "tool": "buy_ticket", "arguments": BUY["arguments"]}


def test_what_does_not_rest_on_the_fact_stays(
    trip: Run, project: Any, olga: User
) -> None:
    other = trip.post("approvals", {**BUY, "key": "seat", "depends_on": ["/city"]})
    voted(project, olga, other["id"])

    answer = checked(trip, {"price": 620})

    assert answer.body["error"]["approvals"] == []
    assert read(trip, other["id"])["status"] == "approved"


def test_what_was_done_already_stays_done(trip: Run, project: Any, olga: User) -> None:
    asked = trip.post("approvals", BUY)
    voted(project, olga, asked["id"])
    effect = trip.post("effects", begun())
    trip.post(f"effects/{effect['id']}/finish", {"attempt": 1, "status": "done"})

    assert checked(trip, {"price": 620}).body["error"]["approvals"] == []
    assert read(trip, asked["id"])["status"] == "approved"


def test_one_that_waits_is_asked_again_as_well(trip: Run) -> None:
    old = trip.post("approvals", BUY)

    (new,) = checked(trip, {"price": 620}).body["error"]["approvals"]

    assert read(trip, old["id"])["status"] == "voided"
    again = trip.post("approvals", BUY)
    assert (again["id"], again["key"]) == (new["id"], "buy")
    assert [one["id"] for one in trip.get("checkpoint")["open_approvals"]] == [
        new["id"]
    ]


def test_a_fact_of_the_state_is_one_by_its_pointer(api: Clients) -> None:
    run = begin(api(), {"observed_facts": {"price": 500, "seat": "12A"}})
    old = run.post("approvals", {**BUY, "depends_on": ["/observed_facts/price"]})

    answer = checked(run, {"price": 620}, only=[])

    (new,) = answer.body["error"]["approvals"]
    assert new["replaces"] == old["id"]
    assert run.state["observed_facts"] == {"price": 620, "seat": "12A"}


def test_what_nobody_knows_is_asked_again_once(trip: Run) -> None:
    trip.post("approvals", BUY)

    first, second = checked(trip, {}), checked(trip, {})

    assert_refused(first, 409, "assumptions_changed")
    (new,) = first.body["error"]["approvals"]
    assert new["changes"] == [{"key": "price", "status": "not_given", "was": 500}]
    assert_refused(second, 409, "assumptions_changed")
    assert second.body["error"]["approvals"] == []


def test_a_decision_that_is_void_is_listed_once(
    trip: Run, project: Any, olga: User
) -> None:
    asked = trip.post("approvals", BUY)
    voted(project, olga, asked["id"])
    checked(trip, {"price": 620})

    listed = trip.client.get("/v1/approvals", {"status": "decided"}).body["data"]

    assert [one["id"] for one in listed] == [asked["id"]]


def test_what_is_void_is_verified_with_the_rest(
    trip: Run, project: Any, olga: User
) -> None:
    asked = trip.post("approvals", BUY)
    voted(project, olga, asked["id"])
    checked(trip, {"price": 620})

    call_command("verify", "--session", trip.id)


def test_a_lost_reply_is_answered_again_and_nothing_is_asked_twice(trip: Run) -> None:
    trip.post("approvals", BUY)
    said = {"values": {"price": 620}}
    once = {"Idempotency-Key": "check-1"}

    first, second = (
        trip.client.send("POST", trip.path("facts", "check"), said, once)
        for _ in range(2)
    )

    assert (first.status, second.status) == (409, 409)
    assert first.body == second.body
    assert second.headers["Idempotent-Replayed"] == "true"


def test_it_is_an_event_that_tells_no_value(trip: Run) -> None:
    trip.post("approvals", BUY)
    checked(trip, {"price": 620})

    (event,) = Event.objects.filter(action="facts.changed")

    assert event.details == {"changed": 1, "unknown": 0, "approvals": 1}
