"""A restore of many keys in a request: by steps, between which others write."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from apps.agents.models import Agent, AgentStatus
from apps.audit.models import Event
from apps.core.roles.names import Role as DatabaseRole
from apps.data import operations as data
from apps.data.models import LongRestore
from apps.data.operations import restoring
from apps.data.operations.keeping import by_steps, stepping
from apps.timeline import queries
from tests.acting import acting_as
from tests.data.conftest import AGENT, Store, made
from tests.data.test_long_restores import KEYS, derailed, head

LONGEST_WAIT = 30


@pytest.fixture(autouse=True)
def steps_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one version set four keys, and a step three."""
    monkeypatch.setattr(restoring, "AT_ONCE", 4)
    monkeypatch.setattr(stepping, "STEP_KEYS", 3)


@pytest.fixture
def behind_each_step(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], Any]]:
    """What is done once a step is committed: the first of these, then the next."""
    acts: list[Callable[[], Any]] = []
    step = stepping.step_in_turn

    def stepped(*given: Any, **more: Any) -> bool:
        is_made = step(*given, **more)
        if is_made and acts:
            acts.pop(0)()
        return is_made

    monkeypatch.setattr(by_steps, "step_in_turn", stepped)
    return acts


def lost() -> None:
    raise OperationalError("the connection is lost")


def newest() -> int:
    return head(Agent.objects.get(external_id=AGENT))


def work_on() -> None:
    with acting_as(DatabaseRole.WORKER):
        while data.restore_running(now=timezone.now()):
            pass


def test_it_is_answered_when_all_steps_are_made(store: Store) -> None:
    checkpoint = derailed(store)
    before = newest()

    done = made(store.restore(checkpoint))

    assert store.values() == dict.fromkeys(KEYS, "good")
    # The config, 10 keys of the checkpoint and 4 newer ones.
    assert (done["steps"], done["number"]) == (5, before + 5)
    assert (done["data_keys_restored"], done["data_keys_changed"]) == (10, 10)
    assert (done["data_keys_removed"], done["data_keys_skipped"]) == (4, 0)
    assert (done["config_changed"], done["config_version"]) == (True, "v3")
    assert (done["verified"], "by steps" in done["verified_why"]) == (None, True)
    told = Event.objects.get(action="checkpoint.restored")
    assert told.details["step"] == 5
    assert done["audit_id"] in str(store.client.get(f"{store.path}/audit").body)


def test_what_touches_few_keys_is_one_version_as_before(store: Store) -> None:
    made(store.batch([{"key": key, "value": "good"} for key in KEYS]))
    checkpoint = made(store.checkpoint("before"))
    made(store.write(KEYS[0], "bad"))

    done = made(store.restore(checkpoint))

    assert (done["steps"], done["verified"]) == (1, True)
    assert not LongRestore.objects.exists()


def test_what_others_write_between_steps_stays_and_is_counted(
    store: Store, behind_each_step: list[Any]
) -> None:
    checkpoint = derailed(store)
    behind_each_step += [
        # Behind it, twice before it, and what the checkpoint did not have.
        lambda: made(store.write(KEYS[0], "newer, behind")),
        lambda: made(store.batch([{"key": KEYS[9], "value": "newer"}])),
        lambda: made(
            store.batch(
                [{"key": KEYS[9], "value": "newest"}, {"key": "new3", "value": "newer"}]
            )
        ),
    ]

    done = made(store.restore(checkpoint))

    expected = dict.fromkeys(KEYS, "good")
    expected |= {KEYS[0]: "newer, behind", KEYS[9]: "newest", "new3": "newer"}
    assert store.values() == expected
    assert (done["data_keys_skipped"], done["data_keys_restored"]) == (1, 9)
    assert (done["data_keys_changed"], done["data_keys_removed"]) == (9, 3)


@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "k"}])
def test_after_a_lost_connection_the_worker_ends_it_and_repeating_is_answered(
    store: Store, behind_each_step: list[Any], headers: Any
) -> None:
    checkpoint = derailed(store)
    path = f"{store.checkpoints}/{checkpoint['id']}/restore"
    behind_each_step += [lambda: None, lost]

    assert store.client.post(path, {}, **headers).status == 503
    halfway = LongRestore.objects.get()
    work_on()
    done = made(store.client.post(path, {}, **headers))
    again = made(store.client.post(path, {}, **headers))

    assert (halfway.state, halfway.steps) == ("running", 2)
    assert store.values() == dict.fromkeys(KEYS, "good")
    assert (done["steps"], done["data_keys_changed"]) == (5, 10)
    assert (again, LongRestore.objects.count()) == (done, 1)


def test_sent_again_half_way_it_goes_on_itself(
    store: Store, behind_each_step: list[Any]
) -> None:
    checkpoint = derailed(store)
    behind_each_step += [lost]
    assert store.restore(checkpoint).status == 503

    done = made(store.restore(checkpoint))

    assert (done["steps"], done["data_keys_changed"]) == (5, 10)
    assert LongRestore.objects.get().state == "done"


def test_without_a_key_it_is_made_anew_once_somebody_has_written(store: Store) -> None:
    checkpoint = derailed(store)
    made(store.restore(checkpoint))
    made(store.write(KEYS[0], "bad again"))

    done = made(store.restore(checkpoint))

    assert store.values() == dict.fromkeys(KEYS, "good")
    assert done["data_keys_changed"] == 1
    assert LongRestore.objects.count() == 2


def test_its_key_stands_for_it_alone(store: Store) -> None:
    checkpoint = derailed(store)
    path = f"{store.checkpoints}/{checkpoint['id']}/restore"
    made(store.client.post(path, {}, Idempotency_Key="k"))
    before = newest()

    other = store.client.post(path, {"restore_config": False}, Idempotency_Key="k")
    written = store.batch([{"key": "a", "value": "b"}], Idempotency_Key="k")

    assert (other.status, written.status) == (422, 422)
    assert newest() == before


def test_a_field_that_is_not_known_begins_nothing(store: Store) -> None:
    checkpoint = derailed(store)
    path = f"{store.checkpoints}/{checkpoint['id']}/restore"

    assert store.client.post(path, {"parts": 1}, Idempotency_Key="k").status == 400
    assert not LongRestore.objects.exists()


def test_what_touches_too_many_is_refused_and_named(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restoring, "MOST", 14)
    checkpoint = derailed(store)

    answer = store.restore(checkpoint)

    assert (answer.status, answer.code) == (409, "restore_too_large")
    assert not LongRestore.objects.exists()


def test_what_was_not_seen_is_not_restored_over(store: Store) -> None:
    checkpoint = derailed(store)
    seen = newest()
    made(store.write("a", "newer"))

    answer = store.restore(checkpoint, expected_version=seen)

    assert (answer.status, answer.code) == (409, "version_conflict")
    assert not LongRestore.objects.exists()


def test_a_suspension_between_steps_stops_it_and_it_can_go_on(
    store: Store, behind_each_step: list[Any]
) -> None:
    checkpoint = derailed(store)
    path = f"{store.checkpoints}/{checkpoint['id']}/restore"
    agents = Agent.objects.filter(external_id=AGENT)
    behind_each_step += [lambda: agents.update(status=AgentStatus.SUSPENDED)]

    stopped = store.client.post(path, {}, Idempotency_Key="k")
    halfway = store.values()
    agents.update(status=AgentStatus.ACTIVE)
    done = made(store.client.post(path, {}, Idempotency_Key="k"))

    assert (stopped.status, stopped.code) == (409, "restore_stopped")
    assert "1 steps of the restore were made and stand" in stopped.body["message"]
    assert (halfway[KEYS[0]], halfway[KEYS[8]]) == ("good", "bad")
    assert (done["steps"], done["data_keys_changed"]) == (5, 10)


def test_a_key_that_is_revoked_between_steps_restores_no_further(
    store: Store, behind_each_step: list[Any], api: Any
) -> None:
    checkpoint = derailed(store)
    behind_each_step += [lost]
    assert store.restore(checkpoint).status == 503
    with acting_as(DatabaseRole.OWNER), connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_apikey SET revoked_at = now()")

    work_on()

    over = LongRestore.objects.get()
    assert (over.state, over.steps) == ("failed", 1)


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    """On connections of their own, as processes have them."""

    @pytest.fixture
    def held(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
        found = Held()
        note, plan = stepping._note, queries.next_step
        monkeypatch.setattr(stepping, "_note", found.before(note, "noted", 2))
        monkeypatch.setattr(queries, "next_step", found.before(plan, "planned", 2))
        yield found
        found.go_on("noted", "planned")

    def test_reads_go_on_and_a_write_waits_for_one_step(
        self, store: Store, api: Any, held: Held
    ) -> None:
        checkpoint = derailed(store)
        held.go_on("noted")
        done: dict[str, Any] = {}
        restorer, writer = Store(api(), AGENT), Store(api(), AGENT)
        before = newest()

        # The first step waits in its middle, and holds the document meanwhile.
        with _tallies_held():
            restore = _began(done, "restored", lambda: restorer.restore(checkpoint))
            _wait_until(lambda: _waiting() == 1)
            read = made(store.at(KEYS[0]))["value"]
            listed = store.values()[KEYS[8]]
            write = _began(done, "written", lambda: writer.write("mine", "of now"))
            _wait_until(lambda: _waiting() == 2)
            was_written = "written" in done
        # The second begins once the write is through: if that needed more, none would.
        held.reached("planned")
        write.join(LONGEST_WAIT)
        written = done.get("written")
        held.go_on("planned")
        restore.join(LONGEST_WAIT)

        assert (read, listed) == ("bad", "bad")
        assert not was_written
        assert written is not None
        assert made(written)["number"] == before + 2
        restored = made(done["restored"])
        assert (restored["steps"], restored["number"]) == (5, before + 6)
        assert store.values() == dict.fromkeys(KEYS, "good") | {"mine": "of now"}

    def test_request_and_worker_make_each_step_once(
        self, store: Store, api: Any, held: Held
    ) -> None:
        checkpoint = derailed(store)
        held.go_on("planned")
        done: dict[str, Any] = {}
        restorer = Store(api(), AGENT)
        before = newest()

        restore = _began(done, "restored", lambda: restorer.restore(checkpoint))
        held.reached("noted")
        # What another has in hand the worker passes by.
        passed_by = data.restore_running(now=timezone.now())
        held.go_on("noted")
        work_on()
        restore.join(LONGEST_WAIT)

        assert passed_by == 0
        assert made(done["restored"])["steps"] == 5
        assert newest() == before + 5
        assert store.values() == dict.fromkeys(KEYS, "good")


class Held:
    """Calls that wait, the n-th of each kind, until they are let go."""

    def __init__(self) -> None:
        self._reached: dict[str, threading.Event] = {}
        self._free: dict[str, threading.Event] = {}

    def before(self, call: Callable[..., Any], name: str, number: int) -> Any:
        reached, free = threading.Event(), threading.Event()
        self._reached[name], self._free[name] = reached, free
        calls = iter(range(1, 1_000))

        def held(*given: Any, **more: Any) -> Any:
            if next(calls) == number:
                reached.set()
                assert free.wait(LONGEST_WAIT)
            return call(*given, **more)

        return held

    def reached(self, name: str) -> None:
        assert self._reached[name].wait(LONGEST_WAIT)

    def go_on(self, *names: str) -> None:
        for name in names:
            self._free[name].set()


def _began(done: dict[str, Any], name: str, act: Callable[[], Any]) -> threading.Thread:
    def run() -> None:
        try:
            # However busy the machine is, what waits here is let go in the end.
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '60s'")
            done[name] = act()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def _wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + LONGEST_WAIT
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def _waiting() -> int:
    """Return how many statements wait for a lock."""
    with acting_as(DatabaseRole.OWNER), connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            " AND datname = current_database()"
        )
        return int(cursor.fetchone()[0])


@contextmanager
def _tallies_held() -> Iterator[None]:
    """Have all that writes to documents wait behind its lock of the document's row."""
    is_held, free = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with acting_as(DatabaseRole.OWNER), transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute("SELECT 1 FROM timeline_tally FOR UPDATE")
                is_held.set()
                free.wait(LONGEST_WAIT)
        finally:
            connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert is_held.wait(LONGEST_WAIT)
    try:
        yield
    finally:
        free.set()
        thread.join(LONGEST_WAIT)
