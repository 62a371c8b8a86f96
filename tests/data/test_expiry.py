"""Values whose time is over: absent at once, and recorded by the worker's sweep."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.audit.models import Event
from apps.core.actors import SYSTEM
from apps.data import operations as data
from apps.worker import jobs
from tests.data.conftest import Store, made

DAY = timedelta(days=1)


@pytest.fixture
def later(monkeypatch: Any) -> Any:
    """`later(days)` is when requests come in from then on."""
    begun = timezone.now()

    def at(days: float) -> datetime:
        now = begun + days * DAY
        monkeypatch.setattr("apps.data.api.base.timezone.now", lambda: now)
        return now

    return at


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_retention_gives_a_value_its_end(store: Store) -> None:
    made(store.policies(retention_days=30, retention_by_prefix={"temp:": 1}))

    kept, temporary = made(store.write("a")), made(store.write("temp:a"))

    for one, days in ((kept, 30), (temporary, 1)):
        lives = moment(one["expires_at"]) - moment(one["created_at"])
        assert lives == days * DAY
    assert made(store.at("a"))["expires_at"] == kept["expires_at"]


def test_it_is_absent_once_its_time_is_over(store: Store, later: Any) -> None:
    made(store.policies(retention_by_prefix={"temp:": 1}))
    made(store.batch([{"key": key, "value": "v"} for key in ("temp:a", "b")]))

    later(1.01)

    assert store.keys() == ["b"]
    assert made(store.listed())["total"] == 1
    assert store.at("temp:a").code == "key_not_found"
    assert store.read("temp:a", at=2).code == "key_not_found"
    assert [one["key"] for one in made(store.listed(at=3))["data"]] == ["b"]
    past = made(store.versions("temp:a"))["data"]
    assert [(one["cause"], one["value"]) for one in past] == [("set", None)]
    assert made(store.search("v"))["results"][0]["key"] == "b"
    assert store.delete("temp:a").status == 404
    assert made(store.delete_prefix("temp:"))["deleted"] == 0


def test_a_sweep_records_it(store: Store, later: Any) -> None:
    made(store.policies(retention_by_prefix={"temp:": 1}))
    made(store.batch([{"key": f"temp:{n}", "value": "v"} for n in range(3)]))
    made(store.write("b"))
    now = later(1.01)

    assert data.expire_due(actor=SYSTEM, now=timezone.now()) in (0, 3)
    jobs.expire_data(now)

    assert data.expire_due(actor=SYSTEM, now=now) == 0
    (past, *_) = made(store.versions("temp:1"))["data"]
    assert (past["cause"], past["created_by"]) == ("expired", "system")
    events = Event.objects.filter(action="data.expired")
    assert [one.actor_kind for one in events] == ["system"]
    assert made(store.write("temp:1", "again"))["version"] == 3
    assert store.keys() == ["b", "temp:1"]


def test_there_is_room_for_what_has_expired(store: Store, later: Any) -> None:
    made(store.policies(max_keys_per_agent=1, retention_days=1))
    made(store.write("a"))
    assert not made(store.write("b"))["allowed"]

    later(1.01)

    assert made(store.write("b"))["allowed"]
    assert store.keys() == ["b"]
