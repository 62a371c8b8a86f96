"""Facts: what is remembered, held to what is so; and what is no fact."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.core.time.moments import utc_text
from tests.conftest import Answer
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


def at(seconds: int) -> str:
    return str(utc_text(timezone.now() + timedelta(seconds=seconds)))


@pytest.fixture
def trip(begin: Begin) -> Run:
    return begin(
        {"city": "Rome"},
        facts=[
            {"key": "price", "value": 500, "tolerance": 10, "source": "airline"},
            {"key": "seat", "value": "12A", "observed_at": at(-100), "max_age": 60},
        ],
    )


def checked(run: Run, values: Any, client: Any = None, **fields: Any) -> Answer:
    client = client or run.client
    return client.post(run.path("facts", "check"), {"values": values, **fields})


def statuses(answer: Answer) -> dict[str, str]:
    found = answer.body.get("facts") or answer.body["error"]["facts"]
    return {one["key"]: one["status"] for one in found}


def test_what_is_as_remembered_is_so(trip: Run) -> None:
    answer = checked(trip, {"price": 510, "seat": "12A"})

    assert answer.status == 200
    assert statuses(answer) == {"price": "same", "seat": "same"}
    price, seat = trip.get("checkpoint")["facts"]
    # Within its tolerance it does not creep; past its age it is known to be so again.
    assert price["value"] == 500
    assert seat["checked_at"] is not None
    assert checked(trip, {"price": 500, "seat": "12A"}).body["version"] == 1


def test_what_has_changed_is_stored_as_it_is(trip: Run) -> None:
    answer = checked(trip, {"price": 511}, observed_at=at(-5))

    assert_refused(answer, 409, "assumptions_changed")
    assert statuses(answer) == {"price": "changed", "seat": "too_old"}
    price = trip.get("checkpoint")["facts"][0]
    assert (price["value"], price["source"]) == (511, "airline")
    assert checked(trip, {"price": 511}, only=[]).status == 200


def test_what_is_not_given_is_not_known(begin: Begin) -> None:
    run = begin({"facts": {"price": 500}})

    answer = checked(run, {})

    assert statuses(answer) == {"price": "not_given"}
    assert run.head == 0


@pytest.mark.parametrize(
    ("one", "live"),
    [(True, 1), (1, 1.0), ("500", 500), ({"a": 1}, {"a": 2}), (None, False)],
)
def test_another_type_is_another_value(begin: Begin, one: Any, live: Any) -> None:
    run = begin({}, facts=[{"key": "k", "value": one}])

    assert statuses(checked(run, {"k": live})) == {"k": "changed"}


def test_without_facts_there_is_nothing_to_change(begin: Begin) -> None:
    run = begin({"facts": "none"})

    assert checked(run, {}).body["facts"] == []
    assert_refused(checked(run, {"k": 1}), 422, "unacceptable_fact", "/values/k")


@pytest.mark.parametrize(
    ("fact", "param"),
    [
        (7, "/facts/1"),
        ({"value": 1}, "/facts/1/key"),
        ({"key": "", "value": 1}, "/facts/1/key"),
        ({"key": "b"}, "/facts/1/value"),
        ({"key": "a", "value": 1}, "/facts/1/key"),
        ({"key": "b", "value": 1, "source": 7}, "/facts/1/source"),
        ({"key": "b", "value": 1, "max_age": -1}, "/facts/1/max_age"),
        ({"key": "b", "value": 1, "tolerance": "5%"}, "/facts/1/tolerance"),
        ({"key": "b", "value": 1, "observed_at": "soon"}, "/facts/1/observed_at"),
        (
            {"key": "b", "value": 1, "observed_at": "2999-01-01T00:00:00Z"},
            "/facts/1/observed_at",
        ),
    ],
)
def test_what_is_no_fact_is_refused_with_its_place(
    begin: Begin, fact: Any, param: str
) -> None:
    run = begin({})
    sent = {"facts": [{"key": "a", "value": 1}, fact]}

    answer = run.client.send("PATCH", run.path("state"), sent)

    assert_refused(answer, 422, "unacceptable_fact", param)
    assert run.head == 0


def test_live_values_of_the_future_are_refused(trip: Run) -> None:
    answer = checked(trip, {"price": 1}, observed_at=at(3600))

    assert_refused(answer, 422, "unacceptable_fact", "observed_at")


def test_a_rollback_brings_back_what_was_remembered(trip: Run) -> None:
    checked(trip, {"price": 620})
    trip.rollback(0)

    assert trip.get("checkpoint")["facts"][0]["value"] == 500


def test_a_paused_session_stores_nothing(trip: Run) -> None:
    trip.hold("pause")

    assert_refused(checked(trip, {"price": 620}), 423, "session_paused")


def test_who_may_not_write_checks_nothing(
    trip: Run, api: Clients, make_key: Keys
) -> None:
    reader = api(make_key(scope="read"))

    assert checked(trip, {"price": 620}, reader).status == 403
    assert trip.head == 0
