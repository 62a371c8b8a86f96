"""What a resumed run sees first: the next task, and what is not settled."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.core.time.moments import utc_text
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db


def ago(seconds: int) -> str:
    return str(utc_text(timezone.now() - timedelta(seconds=seconds)))


@pytest.fixture
def trip(begin: Begin) -> Run:
    return begin(
        {"city": "Rome"},
        tasks=[
            {"id": "a", "status": "completed"},
            {"id": "b", "status": "skipped"},
            {"id": "c", "status": "failed"},
            {"id": "d"},
        ],
        facts=[
            {"key": "price", "value": 500, "observed_at": ago(100), "max_age": 60},
            {"key": "seat", "value": "12A", "observed_at": ago(10), "max_age": 60},
            {"key": "name", "value": "Ann"},
        ],
    )


def test_it_names_the_first_task_that_is_not_over(trip: Run) -> None:
    assert trip.get("checkpoint")["next_task"] == {"id": "c", "status": "failed"}


def test_it_names_facts_that_are_past_their_age(trip: Run) -> None:
    (fact,) = trip.get("checkpoint")["facts_to_check"]

    assert (fact["key"], fact["value"], fact["max_age"]) == ("price", 500, 60)


def test_facts_of_the_state_age_as_well(begin: Begin) -> None:
    old = {"value": 500, "observed_at": ago(100), "max_age": 60}
    run = begin({"observed_facts": {"price": old, "seat": "12A"}})

    assert [one["key"] for one in run.get("checkpoint")["facts_to_check"]] == ["price"]


def test_it_names_what_is_asked_and_what_may_have_happened(trip: Run) -> None:
    ask: dict[str, Any] = {"tool": "pay", "arguments": {}, "key": "pay"}
    asked = trip.post("approvals", ask)
    begun = trip.post("effects", {"key": "mail", "tool": "mail", "arguments": {}})
    trip.post(f"effects/{begun['id']}/finish", {"attempt": 1, "status": "unknown"})

    found = trip.get("checkpoint")

    assert [one["id"] for one in found["open_approvals"]] == [asked["id"]]
    assert [one["key"] for one in found["unknown_effects"]] == ["mail"]


def test_an_earlier_version_has_its_own_next_task(trip: Run) -> None:
    trip.patch(tasks=[])

    assert trip.get("checkpoint")["next_task"] is None
    assert trip.get("checkpoint", version=0)["next_task"]["id"] == "c"
