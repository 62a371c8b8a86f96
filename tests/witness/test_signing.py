"""The worker signs the heads that moved: each once, in order, and nothing in flight."""

import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.agents.models import Agent
from apps.core.notes import roots as told
from apps.core.notes.errors import NumberTaken
from apps.core.notes.folder import Folder
from apps.core.notes.reading import read as reading_note
from apps.core.notes.roots import Kind, Root
from apps.core.notes.signed import SigningKey
from apps.core.roles.logins import url_of
from apps.core.roles.names import Role
from apps.witness import signing
from tests.feeding import feed_all
from tests.timeline import runs
from tests.witness.forging import owning
from tests.witness.test_finding import sign, verified

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def read(roots: Path, key: SigningKey) -> Any:
    """`read(number)` returns what a note says."""

    def reading(number: int) -> Root:
        return reading_note(Folder(roots), number, [key.verifier])[0]

    return reading


def heads_of(root: Root, kind: Kind = Kind.SESSION) -> dict[str, int | None]:
    return {head.id: head.number for head in root.heads if head.kind is kind}


def test_what_was_appended_is_signed_and_verify_says_up_to_where(
    roots: Path, run: runs.Run
) -> None:
    assert sign() == 1
    run.patch({"step": 3})

    verdict = run.get("verify")

    signed = verdict["signatures"]
    assert verdict["valid"]
    assert signed["status"] == "signed"
    assert (signed["signed_to"]["version"], signed["signed_to"]["note"]) == (2, 1)
    assert signed["unsigned_from"] == 3
    assert "v3 is newer than that signature" in signed["message"]


def test_a_note_has_the_heads_that_moved_and_names_the_one_before(
    read: Any, run: runs.Run, begin: runs.Begin, roots: Path
) -> None:
    other = begin({"n": 1})
    assert sign() == 1
    other.patch({"n": 2})
    assert sign() == 1

    first, second = read(1), read(2)

    assert heads_of(first) == {run.id: 2, other.id: 0}
    assert heads_of(second) == {other.id: 1}
    assert first.previous is None
    assert second.previous == told.digest(Folder(roots).read(1) or b"")
    # The project and the key were made by the system, and are chained; so was the
    # agent, by its first session.
    recorded = {run_project(), Agent.objects.get().id}
    assert heads_of(first, Kind.RECORD).keys() == recorded


def run_project() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM accounts_project")
        ((id,),) = cursor.fetchall()
    return str(id)


def test_without_news_there_is_no_note(roots: Path, run: runs.Run) -> None:
    assert sign() == 1
    run.turn()  # an event, and no version

    assert [sign(), sign()] == [0, 0]

    assert Folder(roots).newest() == 1


def test_what_is_in_flight_is_not_passed_over_and_keeps_nothing_waiting(
    roots: Path, run: runs.Run, begin: runs.Begin, read: Any
) -> None:
    """An append that began before another and commits after the note about that."""
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        with transaction.atomic():
            run.patch({"step": 3})
            begun.set()
            go_on.wait(20)
        connections.close_all()

    assert sign() == 1
    writer = threading.Thread(target=slow)
    writer.start()
    assert begun.wait(20)
    later = begin({"n": 1})
    assert sign() == 1
    assert later.get("verify")["signatures"]["signed_to"]["version"] == 0
    assert sign() == 0
    go_on.set()
    writer.join()

    sign()

    signed = {}
    for number in range(1, Folder(roots).newest() + 1):
        signed |= heads_of(read(number))
    assert signed == {run.id: 3, later.id: 0}


def test_a_day_behind_it_signs_in_bounded_notes(
    roots: Path, begin: runs.Begin, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing, "AT_ONCE", 3)
    first = begin({"n": 0})
    sign()
    made = [begin({"n": n}) for n in range(10)]
    made[0].patch({"n": 100})

    written = sign()

    assert written >= 4
    newest = Folder(roots).newest()
    signed = {}
    for number in range(1, newest + 1):
        assert len(read(number).heads) <= 3
        signed |= heads_of(read(number))
    assert signed == {one.id: 0 for one in (first, *made)} | {made[0].id: 1}
    assert verified()[1] == ""


def test_a_sweep_ends_in_time_and_the_next_goes_on(
    roots: Path, begin: runs.Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing, "AT_ONCE", 1)
    monkeypatch.setattr(signing, "BUDGET_SECONDS", -1.0)
    made = [begin({"n": n}) for n in range(3)]

    written = [sign() for _ in range(20)]

    # The records of the agent and of the project, and a session each.
    assert sum(written) == 5
    for one in made:
        assert one.get("verify")["signatures"]["status"] == "signed"


def test_who_finds_another_signing_leaves_it_to_that_one(
    roots: Path, run: runs.Run
) -> None:
    name = connection.settings_dict["NAME"]
    with psycopg.connect(url_of(Role.OWNER), dbname=name) as other:
        other.execute(signing.LOCK.replace("try_", ""))
        assert sign() == 0

    assert sign() == 1


def test_two_signers_make_one_chain(
    roots: Path, begin: runs.Begin, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing, "AT_ONCE", 2)
    made = [begin({"n": n}) for n in range(12)]
    failed = []

    def signs() -> None:
        try:
            for _ in range(10):
                sign()
        except Exception as error:  # noqa: BLE001 - the test tells which
            failed.append(error)
        finally:
            connections.close_all()

    both = [threading.Thread(target=signs) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()

    assert failed == []
    newest = Folder(roots).newest()
    for number in range(2, newest + 1):
        before = told.digest(Folder(roots).read(number - 1) or b"")
        assert read(number).previous == before
    signed = [id for number in range(1, newest + 1) for id in heads_of(read(number))]
    assert sorted(signed) == sorted(one.id for one in made)


def test_a_number_that_was_taken_meanwhile_is_no_second_note(
    roots: Path, run: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign()
    run.patch({"step": 3})
    monkeypatch.setattr(Folder, "newest", lambda self: 0)
    monkeypatch.setattr(signing.Signer, "take_in", lambda self, deadline: True)

    with pytest.raises(NumberTaken):
        sign()
    assert signing.work(now=timezone.now()) == 0


def test_a_note_that_was_not_entered_is_entered_by_the_next(
    roots: Path, run: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the note had its name and before the index knew of it."""
    sign()
    run.patch({"step": 3})
    with monkeypatch.context() as patch:
        patch.setattr(signing.Index, "add", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sign()
    assert Folder(roots).newest() == 2
    assert run.get("verify")["signatures"]["signed_to"]["note"] == 2

    assert sign() == 0

    assert run.get("verify")["signatures"]["signed_to"]["version"] == 3
    assert verified()[1] == ""


def test_what_no_event_tells_of_is_signed_when_everything_is_looked_at_again(
    roots: Path, run: runs.Run
) -> None:
    sign()
    run.patch({"step": 3})
    with owning() as execute:
        execute("DELETE FROM audit_event WHERE stream_id = %s", run.id)
    assert sign() == 0
    assert run.get("verify")["signatures"]["unsigned_from"] == 3

    assert signing.sweep(now=timezone.now() + timedelta(hours=25)) == 1

    assert run.get("verify")["signatures"]["unsigned_from"] is None


def test_signing_asks_nothing_more_of_an_append(
    roots: Path, run: runs.Run, settings: Any
) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            run.patch({"step": len(queries)})
        return len(queries)

    asked()
    with_signatures = asked()
    settings.SIGNING_KEY = settings.VERIFIER_KEY = ""

    assert asked() == with_signatures


def test_it_goes_on_after_one_that_was_killed_while_it_wrote(
    roots: Path, run: runs.Run
) -> None:
    """Killed before the note had its name: see `test_notes.py` for what is left."""
    sign()
    run.patch({"step": 3})
    (roots / "000000000002.0123456789abcdef.unfinished").write_bytes(b"half a note")

    assert sign() == 1

    assert not list(roots.glob("*.unfinished"))
    assert run.get("verify")["signatures"]["signed_to"]["version"] == 3
    assert verified()[1] == ""


def test_time_does_not_run_backwards_in_notes(
    roots: Path, run: runs.Run, read: Any
) -> None:
    sign()
    run.patch({"step": 3})
    feed_all()

    assert signing.sweep(now=timezone.now() - timedelta(hours=1)) == 1

    assert read(2).at == read(1).at
    assert verified()[1] == ""
