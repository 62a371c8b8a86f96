"""Where the bytes of exports are: no row without its object, no object left behind."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import InternalError, OperationalError
from django.utils import timezone

from apps.blobs import operations as blobs
from apps.blobs import places
from apps.core.actors import SYSTEM
from apps.core.objects import opened
from apps.core.objects import store as stores
from apps.core.roles.names import Role
from apps.exports import making
from apps.exports.kinds import trajectories
from apps.exports.making import forgetting, sweeping, writing
from apps.exports.models import Export, Piece
from tests.acting import acting_as
from tests.blobs.conftest import objects_in
from tests.conftest import Api
from tests.exports.reading import EXPORTS, Sweep, made
from tests.exports.test_asking import ASKED, lines
from tests.s3 import Proxy, running
from tests.timeline import runs
from tests.timeline.runs import assert_refused, begin

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def said(client: Api, *texts: str) -> None:
    for text in texts:
        begin(client, {"messages": [{"role": "user", "content": text}]})


def forget(after: timedelta = timedelta(0)) -> None:
    with acting_as(Role.WORKER):
        making.forget(now=timezone.now() + after)


def assert_each_piece_is_one_object(store: Path) -> None:
    assert objects_in(store) == sorted(one.object_name for one in Piece.objects.all())


def test_a_file_is_objects_of_at_most_so_many_bytes(
    api: runs.Clients,
    admin: Api,
    sweep: Sweep,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writing, "OBJECT_BYTES", 100)
    said(api(), "Hello", "Bye")

    export = made(admin, sweep)

    assert Piece.objects.count() > 2
    assert_each_piece_is_one_object(store)
    assert [one["messages"][0]["content"] for one in lines(admin, export)] == [
        *("Hello", "Bye"),
    ]


@pytest.mark.parametrize(
    ("refused", "cause"),
    [
        (InternalError, psycopg.errors.DataCorrupted),
        (OperationalError, psycopg.errors.QueryCanceled),
    ],
)
def test_one_that_the_database_refuses_holds_up_no_other(
    api: runs.Clients,
    admin: Api,
    sweep: Sweep,
    monkeypatch: pytest.MonkeyPatch,
    refused: type[Exception],
    cause: type[Exception],
) -> None:
    said(api(), "Hello")
    broken, sound = (
        admin.post(EXPORTS, {"kind": "trajectories"}).body["id"] for _ in range(2)
    )
    step = sweeping.step

    def failing(export_id: str, **given: Any) -> bool:
        if export_id == broken:
            raise refused from cause()
        return step(export_id, **given)

    monkeypatch.setattr(sweeping, "step", failing)
    sweep()

    states = [admin.get(f"{EXPORTS}/{one}").body["state"] for one in (broken, sound)]
    assert states == ["failed", "ready"]


def test_what_a_killed_step_wrote_is_of_no_file_and_goes_after_a_day(
    api: runs.Clients,
    admin: Api,
    sweep: Sweep,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trajectories, "SESSIONS", 1)
    said(api(), "0", "1")
    asked = admin.post(EXPORTS, ASKED).body

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, acting_as(Role.WORKER):
        patched.setattr(Piece, "save", killed)
        with pytest.raises(KeyboardInterrupt):
            sweeping.step(asked["id"], now=timezone.now())
    (left,) = objects_in(store)
    with acting_as(Role.WORKER):
        sweeping.step(asked["id"], now=timezone.now())
        # It might still be on its way to a row; a blob's sweep knows nothing of it.
        assert forgetting.sweep_objects(now=timezone.now()) == 0
        blobs.sweep_objects(actor=SYSTEM, now=timezone.now() + 2 * DAY)
        assert left in objects_in(store)
        assert forgetting.sweep_objects(now=timezone.now() + 2 * DAY) == 1
    sweep()

    assert left not in objects_in(store)
    assert_each_piece_is_one_object(store)
    export = admin.get(f"{EXPORTS}/{asked['id']}").body
    assert len(lines(admin, export)) == 2


@pytest.mark.parametrize("at", ["objects", "rows"])
def test_an_end_that_is_killed_is_gone_on_with(
    api: runs.Clients,
    admin: Api,
    sweep: Sweep,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    at: str,
) -> None:
    said(api(), "Hello")
    export = made(admin, sweep)

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        if at == "objects":
            patched.setattr(stores.Objects, "delete", killed)
        else:
            patched.setattr(Piece.objects.all().__class__, "delete", killed)
        with pytest.raises(KeyboardInterrupt):
            forget(8 * DAY)
    assert admin.get(f"{EXPORTS}/{export['id']}/file").status == 404
    forget(8 * DAY)

    assert not Piece.objects.exists()
    assert objects_in(store) == []


def test_a_full_store_ends_it_with_a_word_and_gives_back_what_it_had(
    api: runs.Clients,
    admin: Api,
    sweep: Sweep,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trajectories, "SESSIONS", 1)
    said(api(), "0", "1")
    asked = admin.post(EXPORTS, ASKED).body
    with acting_as(Role.WORKER):
        sweeping.step(asked["id"], now=timezone.now())

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(stores.obstore, "put", full)
        sweep()

    export = admin.get(f"{EXPORTS}/{asked['id']}").body
    assert (export["state"], export["error"]) == ("failed", sweeping.NO_SPACE)
    assert objects_in(store) == []
    assert not Piece.objects.exists()


@pytest.fixture(scope="module")
def server() -> Iterator[Proxy]:
    with running() as proxy:
        yield proxy


@pytest.fixture
def proxy(
    server: Proxy, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Proxy]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    settings.OBJECTS = server.store(tmp_path.name)
    hasty = partial(opened, timeout=timedelta(seconds=0.3), retries=0)
    monkeypatch.setattr(places, "opened", hasty)
    yield server
    server.fault, server.times = "", -1


@pytest.mark.parametrize("fault", ["500", "hang", "cut", "lost"])
def test_a_store_that_fails_is_waited_for_and_then_the_file_is_whole(
    api: runs.Clients, admin: Api, sweep: Sweep, proxy: Proxy, fault: str
) -> None:
    said(api(), "Hello")
    asked = admin.post(EXPORTS, ASKED).body
    proxy.fault = fault
    sweep()
    waiting = admin.get(f"{EXPORTS}/{asked['id']}").body
    assert waiting["state"] == "making"
    if fault != "cut":
        assert waiting["waits_for"] == "store"

    proxy.fault = ""
    sweep()

    export = admin.get(f"{EXPORTS}/{asked['id']}").body
    assert (export["state"], export["waits_for"]) == ("ready", None)
    assert len(lines(admin, export)) == 1
    if fault != "lost":
        proxy.fault = fault
        away = admin.get(f"{EXPORTS}/{asked['id']}/file")
        assert_refused(away, 503, "service_unavailable")
        assert away.headers["Retry-After"]
        proxy.fault = ""
    # What was written without an answer is of no piece, and goes with the file.
    forget(8 * DAY)
    with places.asking() as there:
        assert list(there.list("exports")) == []
    assert Export.objects.get().state == "expired"
