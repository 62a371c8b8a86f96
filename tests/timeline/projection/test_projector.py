"""The projector: whatever it has done or not yet, every answer is the same."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.utils import timezone

from apps.core import sql
from apps.core.roles.names import Role
from apps.timeline import projection
from apps.timeline.models import Change, Pending, Term, Text
from apps.timeline.projection import projector
from apps.timeline.verification import verify_session
from tests import databases
from tests.acting import acting_as
from tests.feeding import project_all
from tests.timeline.runs import Begin, Run
from tests.timeline.search.asking import ids, page, versions
from tests.timeline.search.lives import act, state

pytestmark = pytest.mark.django_db(transaction=True)

QUESTIONS = (
    *("ever:1", "ever:true", "now:1", "rome", "words:step", "label:good", "trace:t-1"),
    *("forked:yes", "rolled-back:yes", "flag:shrank", "changed:/k7", "state.k7=1"),
)


def answers(runs: list[Run]) -> dict[Any, Any]:
    """Return what search, blame and verification say of these sessions."""
    client = runs[0].client
    found: dict[Any, Any] = {}
    for question in QUESTIONS:
        found[question] = ids(client, question), versions(client, question)
    for run in runs:
        for key in list(run.state)[:3]:
            told = run.get("blame", pointer=f"/{key}", limit=20)["data"]
            found[run.id, key] = [(one["session_id"], one["version"]) for one in told]
        report = verify_session(run.id)
        found[run.id] = report.is_valid, report.first_derived
    return found


def lived(begin: Begin, seed: int, acts: int = 14) -> list[Run]:
    chance = random.Random(seed)
    made = [begin(state(chance)) for _ in range(2)]
    for _ in range(acts):
        made += act(chance, chance.choice(made))
    return made


def assert_all_is_projected(runs: list[Run]) -> None:
    """Hold what was projected to what the bodies say, made anew by other code."""
    assert not Pending.objects.exists()
    call_command("rebuild_search", "--check")
    for run in runs:
        report = verify_session(run.id)
        assert (report.is_valid, report.first_derived) == (True, None)


@pytest.mark.parametrize("seed", range(4))
def test_answers_are_the_same_before_while_and_after_it_projects(
    begin: Begin, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = lived(begin, seed)
    before = answers(runs)
    assert any(found for found, _ in map(before.get, QUESTIONS))
    assert not Change.objects.exists()
    assert not Text.objects.exclude(kind=3).exists()
    monkeypatch.setattr(projector, "AT_ONCE", 1)

    after, taken = None, 0
    while Pending.objects.exists():
        for _ in range(5):
            step = projection.project_some(after, now=timezone.now())
            after, taken = step.reached, taken + step.taken
        assert answers(runs) == before

    assert taken > len(runs)
    assert_all_is_projected(runs)


@pytest.mark.parametrize(("at_once", "keys"), [(3, 20_000), (500, 7), (1, 1)])
def test_however_little_it_takes_at_once_it_takes_all(
    begin: Begin, at_once: int, keys: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = lived(begin, 5)
    waiting = Pending.objects.count()
    monkeypatch.setattr(projector, "AT_ONCE", at_once)
    monkeypatch.setattr(projector, "KEYS_AT_ONCE", keys)

    assert project_all() == waiting

    assert_all_is_projected(runs)


def test_of_several_values_the_last_is_what_is_held(run: Run) -> None:
    for city in ("Rome", "Oslo", "Bonn"):
        run.patch({"city": city})
    run.put({"count": 1})
    run.patch({"city": "Oslo"})

    for _ in ("pending", "projected"):
        assert ids(run.client, "state.city=Oslo") == [run.id]
        assert ids(run.client, "state.city=Bonn") == []
        assert ids(run.client, "ever:Bonn") == [run.id]
        project_all()
    run.put({"count": 1})
    assert ids(run.client, "state.city=Oslo") == []
    assert ids(run.client, "state.count=1") == [run.id]


def test_a_session_that_another_projects_is_left_alone_as_a_whole(
    begin: Begin,
) -> None:
    theirs, ours = begin({"n": 0}), begin({"n": 0})
    for run in (theirs, ours):
        run.patch({"n": 1})
        run.patch({"n": 2})

    with locked(theirs.id):
        assert project_all() == 3

    kept = Pending.objects.values_list("session_id", "number").order_by("number")
    assert list(kept) == [(theirs.id, 0), (theirs.id, 1), (theirs.id, 2)]
    assert project_all() == 3
    assert_all_is_projected([theirs, ours])


def test_a_session_with_a_long_backlog_does_not_hold_up_the_others(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, calm = begin({"n": 0}), begin({"n": 0})
    for number in range(9):
        busy.patch({"n": number})
    monkeypatch.setattr(projector, "AT_ONCE", 4)

    first = projection.project_some(None, now=timezone.now())
    second = projection.project_some(first.reached, now=timezone.now())

    assert (first.taken, first.reached) == (4, busy.id)
    assert (second.taken, second.reached) == (1, None)
    assert not Pending.objects.filter(session_id=calm.id).exists()
    assert project_all() == 6


def test_behind_a_batch_that_failed_it_goes_on_in_batches(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [begin({"n": 0}) for _ in range(5)]
    fed: list[int] = []

    def fails_once(entries: list[Any], *, now: datetime) -> None:
        fed.append(len(entries))
        if len(fed) == 1:
            raise RuntimeError("this once")

    monkeypatch.setattr(projector, "AT_ONCE", 2)
    monkeypatch.setattr(projector.feeding, "feed", fails_once)

    assert projection.project_round(now=timezone.now()).taken == 5
    # Undone, its two one after the other, and what is behind them.
    assert fed == [2, 1, 1, 2, 1]
    assert_all_is_projected(runs)


def test_many_projectors_and_writers_at_once_lose_and_repeat_nothing(
    begin: Begin,
) -> None:
    runs = [begin({"n": 0}) for _ in range(4)]
    with ThreadPoolExecutor(7) as pool:
        writers = [pool.submit(alone, write, run) for run in runs]
        projectors = [pool.submit(alone, project_beside, writers) for _ in range(3)]
    for one in (*writers, *projectors):
        one.result()

    project_all()
    assert_all_is_projected(runs)
    assert Text.objects.filter(kind=2).count() == 4 * 5
    assert Text.objects.filter(kind=1).count() == 4 * 25


def write(run: Run) -> None:
    for number in range(25):
        run.patch({f"k{number % 7}": number}, reasoning=f"word{number}")
        if number % 5 == 0:
            run.turn("Where to?", f"To Rome {number}")


def project_beside(writers: list[Future[None]]) -> None:
    with acting_as(Role.WORKER):
        while not all(one.done() for one in writers):
            project_all()


def alone(work: Callable[[Any], None], on: Any) -> None:
    """Do it in a thread, which has a connection of its own."""
    try:
        work(on)
    finally:
        connections.close_all()


def test_what_is_there_already_stops_nobody(run: Run, begin: Begin) -> None:
    run.patch({"n": 1})
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO timeline_change SELECT * FROM timeline_change_current"
            " WHERE session_id = %s ON CONFLICT DO NOTHING",
            [run.id],
        )
    other = begin({"n": 1})

    project_all()

    assert_all_is_projected([run, other])
    assert Term.objects.filter(session_id=other.id).exists()


def test_a_search_says_since_when_it_may_miss_something(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [begin({"n": 1}) for _ in range(4)]
    whole = page(runs[0].client, "state.n=1")
    assert (len(whole["data"]), whole["as_of"], whole["notices"]) == (4, None, [])
    monkeypatch.setattr(projection.lag, "COUNTED", 2)

    short = page(runs[0].client, "state.n=1")

    assert short["as_of"] == runs[0].made.body["created_at"]
    assert short["notices"][0].startswith("what was stored since 20")
    project_all()
    assert page(runs[0].client, "state.n=1")["as_of"] is None


@contextmanager
def locked(session_id: str) -> Iterator[None]:
    """Hold the session's first pending row, as a projector does that works on it."""
    with psycopg.connect(_dsn()) as other:
        other.execute(
            "SELECT FROM timeline_pending WHERE session_id = %s"
            " ORDER BY number LIMIT 1 FOR UPDATE",
            [session_id],
        )
        yield
        other.rollback()


def _dsn() -> str:
    found = sql.rows("SELECT current_database() AS name", [])
    return databases.dsn_of(found[0].name)
