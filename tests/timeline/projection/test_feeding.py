"""Every event is fed once: what was committed, whoever wrote it, and nothing else."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.utils import timezone
from structlog.testing import capture_logs

from apps.audit import feeding
from apps.audit.entries import Entry
from apps.audit.models import Event, Outbox
from apps.core import json
from apps.timeline.models import Pending
from tests.feeding import feed_all, project_all
from tests.timeline.runs import Begin, Run, succeeded

pytestmark = pytest.mark.django_db(transaction=True)

# Fed when they are taken; all others in the order of their session.
ACTS = ("version.labelled", "session.updated")


@pytest.fixture
def fed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The ids of what is fed, from the beginning of the test on."""
    seen: list[str] = []

    def note(entries: Sequence[Entry], now: datetime) -> None:
        seen.extend(one.id for one in entries)

    monkeypatch.setitem(feeding.FEEDS, "test", note)
    yield seen
    connections.close_all()


def every_act(run: Run) -> None:
    """Write versions, turns, a batch, labels, metadata and a fork."""
    run.patch({"n": 1}, reasoning="First")
    run.turn("Hi", "Hello", state_after={"n": 2})
    run.turn("Hi again", "Hello")
    items = [{"state": {"n": number}} for number in range(3)]
    run.send("POST", "versions", {"versions": items})
    run.send("POST", "versions/1/labels", {"label": "good"})
    changed = json.dumps({"metadata": {"a": 1}})
    succeeded(run.client.send("PATCH", f"/v1/sessions/{run.id}", changed))
    run.fork(version=2)
    run.rollback(1)
    run.hold("pause")


def test_what_is_written_is_fed_once_and_in_the_order_of_its_session(
    run: Run, fed: list[str]
) -> None:
    every_act(run)

    feed_all()

    assert sorted(fed) == sorted(Event.objects.values_list("id", flat=True))
    assert len(set(fed)) == len(fed)
    numbers = dict(Event.objects.for_stream(run.id).values_list("id", "number"))
    made = Event.objects.for_stream(run.id).exclude(action__in=ACTS)
    ours = set(made.values_list("id", flat=True))
    order = [numbers[one] for one in fed if one in ours]
    assert order == sorted(order, key=int)
    assert not Outbox.objects.exists()
    assert not Pending.objects.exists()
    feed_all()
    assert len(fed) == Event.objects.count()


def test_what_was_rolled_back_is_fed_to_nobody(run: Run, fed: list[str]) -> None:
    feed_all()
    before = len(fed)
    with transaction.atomic():
        run.patch({"n": 1})
        run.send("POST", "versions/1/labels", {"label": "good"})
        transaction.set_rollback(True)

    feed_all()

    assert len(fed) == before


def test_a_feed_that_fails_keeps_what_it_was_to_be_fed(
    run: Run, fed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    every_act(run)

    def fail(entries: Sequence[Entry], now: datetime) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setitem(feeding.FEEDS, "last", fail)
        assert project_all() == 0
        with pytest.raises(ZeroDivisionError):
            feeding.feed_outbox(now=timezone.now())
    assert Outbox.objects.exists()
    assert Pending.objects.exists()
    fed.clear()

    feed_all()

    assert sorted(fed) == sorted(Event.objects.values_list("id", flat=True))


def test_a_session_that_cannot_be_fed_stops_no_other(
    begin: Begin, fed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [begin({"n": number}) for number in range(5)]
    broken = runs[2]

    def fail(entries: Sequence[Entry], now: datetime) -> None:
        if any(one.stream_id == broken.id for one in entries):
            raise ZeroDivisionError

    with monkeypatch.context() as patch, capture_logs() as said:
        patch.setitem(feeding.FEEDS, "last", fail)
        assert project_all() == 4
    assert {one["session_id"] for one in said if "session_id" in one} == {broken.id}
    assert list(Pending.objects.values_list("session_id", flat=True)) == [broken.id]

    assert project_all() == 1
    made = Event.objects.filter(action="session.created")
    assert set(made.values_list("id", flat=True)) <= set(fed)


def test_several_at_once_feed_each_event_once(begin: Begin, fed: list[str]) -> None:
    for number in range(6):
        every_act(begin({"n": number}))

    def feeds(_: int) -> None:
        try:
            feed_all()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(feeds, range(8)))
    feed_all()

    assert sorted(fed) == sorted(Event.objects.values_list("id", flat=True))


def test_a_transaction_that_somebody_forgot_holds_up_nothing(
    run: Run, fed: list[str]
) -> None:
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("SELECT pg_current_xact_id()")
        every_act(run)

        feed_all()

        assert len(fed) == Event.objects.count()


def test_what_is_made_anew_is_fed_to_nobody(run: Run, fed: list[str]) -> None:
    every_act(run)
    feed_all()
    fed.clear()

    call_command("rebuild_search", "--all")
    call_command("rebuild_search", "--check")
    feed_all()

    assert fed == []
