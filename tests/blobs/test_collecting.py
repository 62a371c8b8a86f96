"""What no version names goes after a day; what one names stays, byte by byte."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from apps.blobs import operations as blobs
from apps.blobs.errors import ObjectsUnavailable
from apps.blobs.models import Blob, Use
from apps.blobs.operations import collecting
from apps.core.actors import SYSTEM
from apps.core.objects import ObjectsAway
from apps.core.objects.store import Objects
from apps.core.roles.names import Role
from tests.acting import acting_as
from tests.blobs.conftest import file, objects_in, put, sha256, upload
from tests.conftest import Api
from tests.timeline.keeping import taking
from tests.timeline.runs import Begin, Clients, Run, assert_refused

pytestmark = pytest.mark.django_db

IMAGE, DRAFT = b"\x89PNG", b"a draft"


@pytest.fixture
def client(api: Clients) -> Api:
    return api()


@pytest.fixture
def run(begin: Begin, client: Api) -> Run:
    """A session that has a file from version 1 to 3, and another from 4 on."""
    upload(client, IMAGE)
    upload(client, DRAFT)
    made = begin({"step": 0}, client=client)
    made.patch({"step": 1}, artifacts=[file("a", IMAGE)])
    made.patch({"step": 2})
    made.patch({"step": 3})
    made.patch({"step": 4}, artifacts=[file("b", DRAFT)])
    made.patch({"step": 5})
    return made


def later(**after: float) -> datetime:
    return datetime.now(tz=UTC) + timedelta(**(after or {"hours": 25}))


def collect(**after: float) -> int:
    return blobs.collect(actor=SYSTEM, now=later(**after))


def content(run: Run, number: int, path: str) -> bytes:
    answer = run.client.get(run.path("versions", number, "files", path))
    assert answer.status == 200, answer.content
    return answer.content


def test_what_is_uploaded_stays_for_a_day_and_then_goes(
    client: Api, store: Path
) -> None:
    upload(client, IMAGE)
    assert (collect(hours=23), len(objects_in(store))) == (0, 1)

    assert collect() == 1

    assert not objects_in(store)
    assert not Blob.objects.exists()
    assert put(client, IMAGE).status == 201


def test_asking_for_it_keeps_it_for_another_day(
    client: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(client, IMAGE)
    Blob.objects.update(leased_until=later(seconds=1))
    client.post("/v1/blobs/missing", {"digests": [sha256(IMAGE)]})

    assert collect(hours=1) == 0


def test_what_a_version_names_stays(run: Run, store: Path) -> None:
    assert collect() == 0

    assert content(run, 3, "a") == IMAGE
    assert content(run, 5, "b") == DRAFT


def test_what_is_condemned_cannot_be_named_and_is_uploaded_anew(
    client: Api, begin: Begin, store: Path
) -> None:
    upload(client, IMAGE)
    (before,) = objects_in(store)
    with acting_as(Role.WORKER):
        assert collecting.condemn(later()) == 1
    run = begin({}, client=client)
    named = {"artifacts": [file("a", IMAGE)]}
    assert_refused(client.patch(run.path("state"), named), 422, "blob_missing")

    assert put(client, IMAGE).status == 201
    run.patch(**named)
    collect()

    # What the killed collection had still to delete nobody names: it goes as well.
    assert len(objects_in(store)) == 2
    with acting_as(Role.WORKER):
        assert collecting.sweep_objects(actor=SYSTEM, now=later()) == 1
    assert before not in objects_in(store)
    assert content(run, 1, "a") == IMAGE


def test_a_use_that_shows_after_it_was_condemned_keeps_it(run: Run) -> None:
    Blob.objects.filter(digest=sha256(IMAGE)).update(state="condemned")

    assert collect() == 0

    assert content(run, 1, "a") == IMAGE
    assert Blob.objects.stored().count() == 2


def test_a_store_that_is_away_leaves_it_to_the_next_collection(
    client: Api, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise ObjectsAway("nobody there")

    upload(client, IMAGE)
    with monkeypatch.context() as patch:
        patch.setattr(Objects, "delete", refuse)
        with pytest.raises(ObjectsUnavailable):
            collect()
    assert Blob.objects.condemned().count() == 1

    assert collect() == 1
    assert not objects_in(store)


def test_an_upload_that_was_killed_leaves_an_object_that_goes_after_a_day(
    client: Api, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("apps.blobs.operations.keeping._insert", die)
        with pytest.raises(Killed):
            put(client, IMAGE)
    assert len(objects_in(store)) == 1

    with acting_as(Role.WORKER):
        assert collecting.sweep_objects(actor=SYSTEM, now=later(hours=23)) == 0
        assert collecting.sweep_objects(actor=SYSTEM, now=later()) == 1
    assert not objects_in(store)


@pytest.mark.parametrize("take", [taking.prune, taking.empty])
def test_what_goes_takes_along_what_it_alone_named(
    run: Run, store: Path, take: Any
) -> None:
    take(run, 0, 3)

    assert collect() == 1
    assert content(run, 5, "b") == DRAFT
    assert set(Use.objects.digests()) == {sha256(DRAFT)}


@pytest.mark.parametrize("take", [taking.prune, taking.empty])
def test_a_version_that_carries_files_on_keeps_them_without_who_named_them(
    run: Run, take: Any
) -> None:
    take(run, 1, 2)
    take(run, 4, 4)

    assert collect() == 0
    assert content(run, 3, "a") == IMAGE
    assert content(run, 5, "b") == DRAFT


def test_a_version_that_shows_what_went_keeps_its_files(run: Run) -> None:
    run.rollback(2)
    run.patch({"step": 7})
    run.rollback(5)
    taking.prune(run, 1, 3, erasing=True)
    taking.prune(run, 6, 6, erasing=True)

    assert collect() == 0
    assert content(run, 7, "a") == IMAGE


def test_a_fork_keeps_files_whatever_becomes_of_its_origin(run: Run) -> None:
    fork = run.fork(version=2)
    taking.remove(run, erasing=True)

    # An erasure takes what nobody else names; that is not its business here.
    Blob.objects.update(erasure_id=None)
    assert collect() == 1
    assert content(fork, 0, "a") == IMAGE
    assert set(Use.objects.digests()) == {sha256(IMAGE)}
