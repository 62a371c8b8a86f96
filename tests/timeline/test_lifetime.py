"""Sessions that live for a set time only."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.audit.models import Event
from apps.core.actors import SYSTEM
from apps.timeline import operations as timeline
from apps.timeline.errors import SessionNotFound
from apps.timeline.models import Session
from apps.timeline.operations import About, expiry
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import Step
from tests.acts import act_in
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db
CALLS = [
    ("GET", ""),
    ("GET", "/state"),
    ("GET", "/versions/0"),
    ("GET", "/turns"),
    ("PATCH", ""),
    ("PATCH", "/state"),
    ("POST", "/turns"),
    ("POST", "/rollback"),
    ("POST", "/fork"),
    ("POST", "/pause"),
    ("DELETE", ""),
]


# One body for all: each takes what it knows of it.
LENIENT = {"Prefer": "handling=lenient"}


def age(run: Run, *, seconds: Any) -> None:
    """Move the session's end into the past, as waiting would."""
    session = Session.objects.get(id=run.id)
    assert session.expires_at is not None
    session.expires_at -= timedelta(seconds=seconds)
    session.save(update_fields=["expires_at"])


def moment(text: Any) -> Any:
    return datetime.fromisoformat(text)


def test_it_says_until_when_it_lives(begin: Begin) -> None:
    body = begin(ttl_seconds=3600).made.body

    lives = moment(body["ttl_expires_at"]) - moment(body["created_at"])
    assert lives == timedelta(hours=1)


def test_without_a_limit_it_lives_for_ever(run: Run) -> None:
    assert run.get()["ttl_expires_at"] is None


def test_an_expired_session_is_not_found(begin: Begin) -> None:
    run = begin({"a": 1}, ttl_seconds=60)
    body = {"state": {}, "version": 0, "input": "i", "output": "o", "metadata": {}}
    age(run, seconds=61)

    for method, path in CALLS:
        given = None if method in ("GET", "DELETE") else body
        answer = run.client.send(method, run.path() + path, given, LENIENT)

        assert_refused(answer, 404, "session_not_found")


def test_an_expired_session_is_in_no_list(begin: Begin) -> None:
    run, other = begin(ttl_seconds=60), begin(ttl_seconds=60)
    age(run, seconds=61)

    data = run.client.get("/v1/sessions").body["data"]

    assert [session["id"] for session in data] == [other.id]


def test_it_ends_at_its_very_moment(project: Project) -> None:
    start = datetime.fromisoformat("2026-11-20T12:00:00+00:00")
    scope = Scope(project)
    receipt = timeline.create(
        act=act_in(scope, now=start),
        agent="travel",
        state={"a": 1},
        about=About(ttl_seconds=60),
        step=Step(),
    )

    just_before = start + timedelta(seconds=60) - timedelta(microseconds=1)
    assert fetching.head(scope, receipt.session_id, now=just_before).number == 0
    with pytest.raises(SessionNotFound):
        fetching.head(scope, receipt.session_id, now=start + timedelta(seconds=60))


def test_its_time_can_be_set_anew(begin: Begin) -> None:
    run = begin(ttl_seconds=60)

    answer = run.client.patch(run.path(), {"ttl_seconds": 7200})

    assert answer.status == 200
    left = moment(answer.body["ttl_expires_at"]) - moment(answer.body["updated_at"])
    assert abs(left - timedelta(hours=2)) < timedelta(seconds=1)
    age(run, seconds=3600)
    assert run.head == 0


def test_zero_lifts_the_limit(begin: Begin) -> None:
    run = begin(ttl_seconds=60)

    answer = run.client.patch(run.path(), {"ttl_seconds": 0})

    assert answer.body["ttl_expires_at"] is None
    assert run.get()["ttl_expires_at"] is None


def test_null_leaves_it_as_it_is(begin: Begin) -> None:
    run = begin(ttl_seconds=60)
    ends = run.get()["ttl_expires_at"]

    run.client.patch(run.path(), {"ttl_seconds": None, "metadata": {"a": 1}})

    assert run.get()["ttl_expires_at"] == ends


def test_a_fork_has_its_own_time(begin: Begin) -> None:
    run = begin({"a": 1}, ttl_seconds=60)

    fork, limited = run.fork(), run.fork(ttl_seconds=600)
    age(run, seconds=61)

    assert fork.get()["ttl_expires_at"] is None
    assert limited.state == {"a": 1}


@pytest.mark.parametrize("seconds", [-1, 1.5, "60", True, 10**12])
def test_a_time_that_is_none_is_refused(run: Run, seconds: Any) -> None:
    answer = run.client.patch(run.path(), {"ttl_seconds": seconds})

    assert_refused(answer, 400, "invalid_request", "ttl_seconds")
    assert run.get()["ttl_expires_at"] is None


def test_the_end_of_its_time_is_recorded_once(begin: Begin, run: Run) -> None:
    over = begin({"a": 1}, ttl_seconds=60)
    age(over, seconds=120)

    told = [timeline.expire(actor=SYSTEM, now=timezone.now()) for _ in range(2)]

    assert told == [1, 0]
    recorded = Event.objects.filter(action="session.expired")
    assert [one.stream_id for one in recorded] == [over.id]
    assert recorded[0].actor_kind == "system"
    assert recorded[0].details == {"ttl_seconds": 60}


def test_a_recorded_end_is_not_taken_back_by_a_clock_that_is_behind(
    begin: Begin, project: Project
) -> None:
    run = begin({"a": 1}, ttl_seconds=60)
    began = timezone.now()
    timeline.expire(actor=SYSTEM, now=began + timedelta(hours=1))

    with pytest.raises(SessionNotFound):
        timeline.update_metadata(
            act=act_in(project, now=began), session_id=run.id, ttl_seconds=3600
        )


def test_a_deleted_session_does_not_expire_as_well(begin: Begin) -> None:
    run = begin({"a": 1}, ttl_seconds=60)
    run.client.delete(run.path())
    age(run, seconds=120)

    assert timeline.expire(actor=SYSTEM, now=timezone.now()) == 0


def test_many_ends_are_recorded_some_at_a_time(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expiry, "AT_ONCE", 2)
    for _ in range(5):
        age(begin({"a": 1}, ttl_seconds=60), seconds=120)

    assert timeline.expire(actor=SYSTEM, now=timezone.now()) == 5
