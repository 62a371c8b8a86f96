"""The door is no way around guards: what the view refuses, it does not let pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from apps.accounts import recognition
from apps.accounts.models import Scope
from apps.core import json
from tests.guards.make import CORRUPTED, TRIP, forget, guard, verdicts
from tests.timeline.door.road import Road, Told, ask, written
from tests.timeline.runs import Begin, Clients, Keys, Run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    recognition.CALLERS.clear()
    forget()
    yield
    recognition.CALLERS.clear()
    forget()


@pytest.fixture
def run(begin: Begin) -> Run:
    return begin(TRIP)


@pytest.fixture
def admin(api: Clients, make_key: Keys) -> Any:
    return api(make_key(scope=Scope.ADMIN))


def write(road: Road, run: Run, secret: str, state: Any) -> Told:
    road.passed.clear()
    body = json.dumps({"state": state})
    return ask(road.door, written("PATCH", run.path("state"), secret, body))


def test_what_a_guard_refuses_is_refused_by_the_view(
    road: Road, run: Run, secret: str, admin: Any
) -> None:
    guard(admin, mode="refuse")

    told = write(road, run, secret, CORRUPTED)

    assert told.code == 422
    assert b"guard_refused" in told.content
    assert road.passed == [run.path("state")]
    assert run.head == 0


def test_what_passes_is_written_by_the_door(
    road: Road, run: Run, secret: str, admin: Any
) -> None:
    guard(admin, mode="refuse")

    told = write(road, run, secret, {"note": "fine"})

    assert (told.code, road.passed) == (200, [])


def test_what_is_stepped_back_is_told_by_the_door_as_it_was_written(
    road: Road, run: Run, secret: str, admin: Any
) -> None:
    guard(admin, mode="step_back")

    told = write(road, run, secret, CORRUPTED)

    assert (told.code, road.passed) == (200, [])
    assert json.parse(told.content)["version"] == 1
    assert (run.head, run.state) == (2, TRIP)
    assert verdicts(run) == [(1, "null_spree", "failed", "stepped_back")]
