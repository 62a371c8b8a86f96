"""Writers at once: each write is judged once, and what is done is done in its order."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from apps.guards.models import Verdict
from apps.timeline import verification
from apps.timeline.models import Session, Version
from tests.guards.make import CORRUPTED, TRIP, guard

pytestmark = pytest.mark.django_db(transaction=True)


def all_at_once(ask) -> list[int]:
    def one(_: int) -> int:
        try:
            return int(ask().status)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        return sorted(pool.map(one, range(8)))


def test_of_writers_at_once_each_is_judged_once_and_three_are_stepped_back(admin, run):
    guard(admin, mode="step_back")
    path = run.path("state")

    answers = all_at_once(lambda: run.client.send("PATCH", path, {"state": CORRUPTED}))

    assert answers == [200] * 4 + [423] * 4
    assert Session.objects.get(id=run.id).status == "paused"
    did = Verdict.objects.filter(session_id=run.id).order_by("number")
    assert [one.did for one in did] == [*["stepped_back"] * 3, "held"]
    ops = Version.objects.filter(session_id=run.id).order_by("number")
    assert [one.op for one in ops] == [
        "create",
        *["update", "rollback"] * 3,
        "update",
        "pause",
    ]
    assert not list(verification.findings(run.id))


def test_of_turns_at_once_no_loop_slips_through(admin, run):
    guard(admin, kind="loop", mode="hold", times=3)
    body = {"input": "Hi", "output": "Hello"}

    answers = all_at_once(lambda: run.client.post(run.path("turns"), body))

    assert answers == [201] * 3 + [423] * 5
    (verdict,) = Verdict.objects.filter(session_id=run.id)
    assert (verdict.turn_number, verdict.did) == (3, "held")


def test_a_write_that_fails_after_its_verdict_leaves_neither(admin, run, monkeypatch):
    guard(admin, mode="flag")

    def broken(*_, **__):
        raise RuntimeError("lost")

    monkeypatch.setattr("apps.guards.live.telling.audit.record", broken)
    answer = run.client.send("PATCH", run.path("state"), {"state": CORRUPTED})

    assert answer.status == 500
    assert run.state == TRIP
    assert not Verdict.objects.exists()
    assert not Version.objects.filter(session_id=run.id, number=1).exists()
