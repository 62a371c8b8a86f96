"""What waits, what was decided, and waiting for it."""

import threading
import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.core.http import waiting
from apps.core.http.waiting import wait_for
from tests.approvals.make import asked, read, voted
from tests.timeline.runs import Run, assert_refused

pytestmark = pytest.mark.django_db


def listed(run: Run, **query: Any) -> list[str]:
    answer = run.client.get("/v1/approvals", query)
    assert answer.status == 200, answer.content
    return [one["id"] for one in answer.body["data"]]


def test_what_waits_is_listed_by_its_deadline(run: Run) -> None:
    late = asked(run, ttl_seconds=600)
    soon = asked(run, ttl_seconds=60)

    assert listed(run, status="pending") == [soon["id"], late["id"]]
    assert listed(run) == [soon["id"], late["id"]]
    first = run.client.get("/v1/approvals", {"status": "pending", "limit": 1}).body
    assert first["has_more"] is True
    rest = listed(run, status="pending", starting_after=first["last_id"])
    assert rest == [late["id"]]


def test_what_is_set_aside_or_over_does_not_wait(run: Run, begin_other: Run) -> None:
    asked(run)
    run.rollback(1)
    asked(begin_other)
    begin_other.hold("close")

    assert listed(run, status="pending") == []
    standing = run.client.get("/v1/approvals").body["data"]
    assert [one["status"] for one in standing] == ["voided", "voided"]


def test_what_waits_is_found_behind_what_is_set_aside(run: Run) -> None:
    for _ in range(5):
        asked(run, ttl_seconds=60)
    run.rollback(1)
    waits = asked(run, ttl_seconds=600)

    assert listed(run, status="pending", limit=1) == [waits["id"]]


def test_what_was_decided_is_listed_with_the_newest_first(
    run: Run, project: Any, olga: User
) -> None:
    first, second, third = asked(run), asked(run), asked(run)
    voted(project, olga, first["id"])
    voted(project, olga, second["id"], "reject")

    assert listed(run, status="decided") == [second["id"], first["id"]]
    assert listed(run, status="approved") == [first["id"]]
    assert listed(run, status="rejected") == [second["id"]]
    assert listed(run, status="expired") == []
    assert listed(run, status="pending") == [third["id"]]
    after = listed(run, status="decided", starting_after=second["id"])
    assert after == [first["id"]]


def test_lists_are_narrowed_by_agent_and_age(run: Run) -> None:
    approval = asked(run)
    soon = (timezone.now() + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")

    for status in ({}, {"status": "pending"}):
        assert listed(run, agent_id="travel", **status) == [approval["id"]]
        assert listed(run, agent_id="another", **status) == []
        assert listed(run, asked_before=soon, **status) == [approval["id"]]
        assert listed(run, asked_after=soon, **status) == []


def test_lists_are_narrowed_by_class(run: Run, project: Any, olga: User) -> None:
    grave, light, decided = (
        asked(run, **{"class": name})["id"] for name in ("irreversible", "read", "read")
    )
    voted(project, olga, decided)

    of_class = {"class": "read"}
    assert listed(run, **of_class) == [decided, light]
    assert listed(run, status="pending", **of_class) == [light]
    assert listed(run, status="decided", **of_class) == [decided]
    assert listed(run, status="pending", **{"class": "irreversible"}) == [grave]
    answer = run.client.get("/v1/approvals", {"class": "safe"})
    assert_refused(answer, 400, "invalid_request", "class")


def test_an_unknown_status_is_refused(run: Run) -> None:
    answer = run.client.get("/v1/approvals", {"status": "waiting"})

    assert_refused(answer, 400, "invalid_request", "status")


@pytest.mark.parametrize("wait", ["1000000000", "-1", "1e9", "x"])
def test_nobody_waits_for_ever(run: Run, wait: str) -> None:
    approval = asked(run)

    answer = run.client.get(f"/v1/approvals/{approval['id']}", {"wait": wait})

    assert_refused(answer, 422, "unacceptable_approval", "wait")


def test_what_is_decided_is_answered_at_once(
    run: Run, project: Any, olga: User
) -> None:
    approval = asked(run)
    voted(project, olga, approval["id"])
    began = time.monotonic()

    assert read(run, approval["id"], wait=25)["status"] == "approved"

    assert time.monotonic() - began < 5


def test_who_waits_is_answered_with_the_outcome() -> None:
    seen = iter(["pending", "pending", "approved", "never looked at"])

    found, had_place = wait_for(
        lambda: next(seen),
        is_over=lambda one: one == "approved",
        sign=lambda one: object(),
        seconds=25,
    )

    assert (found, had_place) == ("approved", True)


def test_who_waits_looks_at_the_whole_where_the_sign_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "EVERY_SECONDS", 0.01)
    monkeypatch.setattr(waiting, "LOOK_EVERY_SECONDS", 60)
    signs, looks = iter([1, 1, 1, 1, 2]), []

    def look() -> str:
        looks.append(len(looks))
        return "approved" if len(looks) == 3 else "pending"

    found, _ = wait_for(
        look,
        is_over=lambda one: one == "approved",
        sign=lambda one: next(signs),
        seconds=25,
    )

    # Before it had a place, at the first sign, and once that was another one.
    assert (found, looks) == ("approved", [0, 1, 2])
    assert not list(signs)


def test_what_ends_by_time_changes_no_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "EVERY_SECONDS", 0.01)
    monkeypatch.setattr(waiting, "LOOK_EVERY_SECONDS", 0.05)
    seen = iter(["pending", "pending", "expired"])

    found, _ = wait_for(
        lambda: next(seen),
        is_over=lambda one: one == "expired",
        sign=lambda one: 1,
        seconds=25,
    )

    assert found == "expired"


def test_the_more_find_no_place_the_later_they_ask_again() -> None:
    crowd = waiting.Crowd()

    told = [crowd.retry_after(100.0) for _ in range(400)]
    assert (told[0], told[99], told[-1]) == (2, 25, 30)
    # They come again as they were told, and are told the same.
    assert [crowd.retry_after(101.0 + n / 4) for n in range(400)][-1] >= 28
    assert crowd.retry_after(1_000.0) == 2


def test_two_wait_and_the_third_is_sent_away_at_once(run: Run) -> None:
    approval = asked(run)
    ending, waits = threading.Event(), threading.Semaphore(0)

    def look() -> bool:
        waits.release()
        return ending.is_set()

    threads = [
        threading.Thread(target=wait_for, args=(look,), kwargs=about)
        for about in [{"is_over": bool, "sign": bool, "seconds": 25}] * waiting.AT_ONCE
    ]
    for thread in threads:
        thread.start()
    # Each has looked once more than before it had a place.
    for _ in range(2 * len(threads)):
        assert waits.acquire(timeout=10)
    answer = run.client.get(f"/v1/approvals/{approval['id']}", {"wait": "25"})
    ending.set()
    for thread in threads:
        thread.join(10)

    assert answer.status == 200
    assert answer.headers["Retry-After"] == "2"
    assert answer.body["status"] == "pending"
    afterwards = run.client.get(f"/v1/approvals/{approval['id']}", {"wait": "1"})
    assert "Retry-After" not in afterwards.headers
