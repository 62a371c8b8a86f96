"""The worker embeds what is written, wherever it was killed and whoever else works."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.data import operations as data
from apps.meaning import embedding, monitoring, progress
from apps.meaning.models import Stream, Vector
from apps.meaning.progress import Position
from apps.meaning.working import reconciling, sweeping
from apps.meaning.working.reconciling import reconcile
from tests.acting import acting_as
from tests.data.conftest import Store, made
from tests.meaning.conftest import embed_all, embedded, notice_all
from tests.meaning.test_search import embed

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """What no code of ours catches."""


def write_some(store: Store, count: int = 10) -> dict[str, int]:
    """Write keys, change one and remove one; return what is to be embedded."""
    entries = [{"key": f"k{n}", "value": f"fruit {n}"} for n in range(count)]
    made(store.batch(entries))
    made(store.write("k0", "another fruit"))
    made(store.delete("k1"))
    numbers = {f"k{n}": n + 1 for n in range(2, count)}
    return {"k0": count + 1, **numbers}


@pytest.mark.parametrize("place", ["texts_of", "_stored", "_removed"])
@pytest.mark.parametrize("after", [0, 1, 3])
def test_killed_anywhere_it_goes_on_where_it_was(
    store: Store, monkeypatch: Any, place: str, after: int
) -> None:
    monkeypatch.setattr(sweeping, "AT_ONCE", 3)
    expected = write_some(store)
    left = after
    original = getattr(reconciling, place)

    def cut_short(*args: Any, **kwargs: Any) -> Any:
        nonlocal left
        left -= 1
        found = original(*args, **kwargs)
        if left < 0:
            raise Killed
        return found

    with monkeypatch.context() as patch:
        patch.setattr(reconciling, place, cut_short)
        with pytest.raises(Killed):
            embed_all()
    assert Stream.objects.get().due_at is not None

    sweeping.sweep(now=timezone.now())

    assert embedded() == expected
    assert Stream.objects.get().due_at is None


def test_of_two_workers_at_one_place_one_stores(store: Store) -> None:
    expected = write_some(store)
    notice_all()
    (at,) = progress.due(10)
    with acting_as(Role.WORKER):
        at = progress.adopt(at, embedding.name())
        entries = progress.touched(at, most=100)
        keys = sorted({key for _, key in entries})
        asked: dict[str, Any] = {"now": timezone.now(), "to": entries[-1]}
        first = reconcile(at, keys, embedding.current(), **asked)
        second = reconcile(at, keys, embedding.current(), **asked)

    assert (first, second) == (len(expected), None)
    assert embedded() == expected


@pytest.mark.parametrize("act", ["delete", "write"])
def test_what_changes_while_it_is_embedded_leaves_no_vector(
    store: Store, monkeypatch: Any, act: str
) -> None:
    made(store.write("k", "a planted secret"))
    notice_all()
    original = reconciling.texts_of

    def meanwhile(*args: Any) -> Any:
        found = original(*args)
        with acting_as(Role.WEB), monkeypatch.context() as patch:
            patch.setattr(reconciling, "texts_of", original)
            made(store.delete("k") if act == "delete" else store.write("k", "other"))
        return found

    at = progress.position(progress.due(1)[0].stream_id)
    with acting_as(Role.WORKER):
        at = progress.adopt(at, embedding.name())
        monkeypatch.setattr(reconciling, "texts_of", meanwhile)
        reconcile(at, ["k"], embedding.current(), now=timezone.now())

    assert not Vector.objects.exists()


def test_what_came_while_it_worked_is_noticed_by_the_next_look(store: Store) -> None:
    made(store.write("a", "apple"))
    notice_all()
    (seen,) = progress.due(1)
    made(store.write("b", "banana"))
    notice_all()

    with acting_as(Role.WORKER):
        progress.settle(seen.stream_id)
    assert embed_all() == 2
    assert embed_all() == 0
    assert not progress.due(1)


def test_a_document_with_much_to_do_holds_up_nobody(
    store: Store, monkeypatch: Any
) -> None:
    monkeypatch.setattr(sweeping, "AT_ONCE", 2)
    order: list[str] = []
    original = sweeping.step

    def noted(at: Position, *args: Any, **kwargs: Any) -> Any:
        order.append(at.stream_id)
        return original(at, *args, **kwargs)

    monkeypatch.setattr(sweeping, "step", noted)
    other = Store(store.client, "other")
    made(store.client.post("/v1/agents", {"name": "O", "external_id": "other"}))
    write_some(store, 20)
    write_some(other, 3)

    embed_all()

    assert order[0] != order[1]
    assert len(embedded()) == len({*embedded(), "k0", "k2"})


def test_a_value_that_has_expired_has_no_vector(store: Store, monkeypatch: Any) -> None:
    made(store.policies(retention_days=1))
    made(store.write("k", "apple"))
    embed_all()
    assert embedded() == {"k": 2}

    later = timezone.now() + timedelta(days=2)
    monkeypatch.setattr("apps.data.api.base.timezone.now", lambda: later)
    assert made(store.search("apple"))["results"] == []
    assert data.expire_due(actor=SYSTEM, now=later) == 1
    embed_all()

    assert not Vector.objects.exists()


def test_what_the_worker_never_saw_is_embedded_by_the_command(store: Store) -> None:
    expected = write_some(store)

    assert embed() == "9 texts embedded by wordllama-l2-supercat-256\n"
    assert embedded() == expected
    assert embed("--all").startswith("9 texts")
    assert embedded() == expected


def test_what_waits_and_what_failed_is_measured(store: Store) -> None:
    made(store.write("k", "apple"))
    notice_all()
    now = timezone.now() + timedelta(seconds=90)

    state = monitoring.state()
    before = state.lag_seconds(now)
    embed_all()

    assert 85 < before < 180
    assert monitoring.state().lag_seconds(now) == 0.0
    assert monitoring.state().failures == 0


def test_between_its_steps_it_makes_way(store: Store, monkeypatch: Any) -> None:
    monkeypatch.setattr(sweeping, "AT_ONCE", 3)
    expected = write_some(store)
    rests: list[int] = []

    class Resting:
        def rest(self) -> None:
            rests.append(Vector.objects.count())

    notice_all()
    sweeping.sweep(now=timezone.now(), ease=Resting())

    assert embedded() == expected
    # After each step, and between two: some of it was stored by then.
    assert rests == sorted(rests)
    assert 0 < rests[0] < len(expected)
