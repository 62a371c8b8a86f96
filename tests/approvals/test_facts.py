"""Facts that fail a check: what rests on them is void, and is asked again.

The executive's case: what an agent remembers of a price, days later, is not the price.
"""

from __future__ import annotations

from typing import Any

import pytest

from apps.accounts.models import User
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
