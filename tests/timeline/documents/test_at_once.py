"""Many that write to one keyed document at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, transaction

from apps.accounts.models import Project
from apps.audit import operations as audit
from apps.audit.models import AuditRecord
from apps.timeline.errors import DocumentMoved, EntryChanged, NoRoom
from apps.timeline.ledger.locking import lock_session
from apps.timeline.models import Session
from apps.timeline.operations import lock_document
from apps.timeline.operations.documents import writing
from apps.timeline.verification import findings
from tests.timeline.documents.keeping import Keeper, new_entry, told

pytestmark = pytest.mark.django_db(transaction=True)
WRITERS, THREADS = 50, 8


@pytest.fixture
def keeper(project: Project) -> Keeper:
    return Keeper.begin(project)


def at_once(acts: list[Callable[[], Any]]) -> list[Any]:
    """Perform acts in threads that begin together; return what each did, or raised.

    The threads are few: each holds a connection, and tests share their server's.
    """
    count = min(len(acts), THREADS)
    barrier = Barrier(count, timeout=60)

    def perform(share: list[Callable[[], Any]]) -> list[Any]:
        try:
            # A connection first: it takes longer than an act.
            connection.ensure_connection()
            barrier.wait()
            return [_done(act) for act in share]
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        shares = list(pool.map(perform, [acts[at::count] for at in range(count)]))
    return [shares[at % count][at // count] for at in range(len(acts))]


def _done(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except (DocumentMoved, EntryChanged, NoRoom) as error:
        return error


def assert_holds(keeper: Keeper, versions: int) -> None:
    assert keeper.standing().number == versions
    assert [str(finding) for finding in findings(keeper.document.id)] == []
    stream_id = keeper.document.stream_id
    assert audit.verify_records(stream_id=stream_id).is_intact
    recorded = AuditRecord.objects.filter(stream_id=stream_id, version__isnull=False)
    numbers = recorded.order_by("number").values_list("version", flat=True)
    assert list(numbers) == list(range(1, versions + 1))


def test_writers_of_different_keys_all_land(keeper: Keeper) -> None:
    done = at_once(
        [lambda at=at: keeper.put(f"key {at:02}", str(at)) for at in range(WRITERS)]
    )

    assert sorted(written.number for written in done) == list(range(1, WRITERS + 1))
    assert keeper.values() == {f"key {at:02}": str(at) for at in range(WRITERS)}
    assert_holds(keeper, WRITERS)


def test_of_writers_of_one_key_the_last_wins_and_all_are_kept(keeper: Keeper) -> None:
    done = at_once([lambda at=at: keeper.put("a", str(at)) for at in range(WRITERS)])

    last = max(range(WRITERS), key=lambda at: done[at].number)
    assert keeper.values() == {"a": str(last)}
    assert sorted(written.ordinals[0] for written in done) == list(
        range(1, WRITERS + 1)
    )
    assert_holds(keeper, WRITERS)


def test_one_of_those_that_saw_the_same_value_wins(keeper: Keeper) -> None:
    keeper.put("a", "old")
    done = at_once(
        [lambda at=at: keeper.put("a", str(at), expected=1) for at in range(10)]
    )

    won = [at for at, one in enumerate(done) if not isinstance(one, EntryChanged)]
    assert len(won) == 1
    assert keeper.values() == {"a": str(won[0])}
    assert_holds(keeper, 2)


def test_the_limit_of_keys_is_exact(keeper: Keeper) -> None:
    done = at_once(
        [
            lambda at=at: keeper.put_all([new_entry(f"key {at}", "v")], most_keys=7)
            for at in range(WRITERS)
        ]
    )

    assert sum(not isinstance(one, NoRoom) for one in done) == 7
    assert keeper.standing().keys == 7
    assert_holds(keeper, 7)


def test_a_restore_takes_its_place_among_writers(keeper: Keeper) -> None:
    for at in range(10):
        keeper.put(f"key {at}", "old")
    acts: list[Callable[[], Any]] = [
        lambda at=at: keeper.put(f"key {at % 10}", f"new {at}") for at in range(20)
    ]
    done = at_once([*acts, lambda: keeper.restore(10)])

    restored = done[-1].number
    assert keeper.values_at(restored) == {f"key {at}": "old" for at in range(10)}
    for at, written in enumerate(done[:-1]):
        values = keeper.values_at(written.number)
        assert values[f"key {at % 10}"] == f"new {at}"
    assert_holds(keeper, 31)


def test_of_two_restores_on_one_head_one_is_stored(keeper: Keeper) -> None:
    keeper.put("a", "1")
    keeper.put("a", "2")
    done = at_once([lambda: keeper.restore(1, expected=2) for _ in range(2)])

    assert sorted(isinstance(one, DocumentMoved) for one in done) == [False, True]
    assert_holds(keeper, 3)


def test_who_finds_it_begun_a_moment_later_holds_it_as_well(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = Keeper.begin(project)
    looked: list[bool] = []

    def begun_meanwhile(session_id: str) -> bool:
        found = lock_session(session_id)
        if not looked:
            # Another one's first write, between this look and the next.
            at_once([lambda: keeper.put("a")])
        looked.append(found)
        return found

    monkeypatch.setattr(writing, "lock_session", begun_meanwhile)
    with transaction.atomic():
        standing = lock_document(
            act=keeper.act(), document=keeper.document, told=told()
        )
        (is_free,) = at_once([lambda: _is_free(keeper)])

    assert (standing.number, looked) == (1, [False, True])
    assert not is_free


def _is_free(keeper: Keeper) -> bool:
    with transaction.atomic():
        rows = Session.objects.filter(id=keeper.document.id)
        return rows.select_for_update(skip_locked=True, no_key=True).exists()
