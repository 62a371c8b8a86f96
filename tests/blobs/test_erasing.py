"""An erasure deletes the files that only the erased sessions named, and says so."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.blobs.models import Blob
from apps.core.objects import ObjectsAway
from apps.core.roles.names import Role
from apps.erasures import running
from apps.erasures.journal import opened_certificate
from tests.acting import acting_as
from tests.blobs.conftest import file, objects_in, put, upload
from tests.conftest import Api
from tests.erasures.conftest import admin as admin
from tests.erasures.conftest import journal as journal
from tests.erasures.leaving import begun_erasure
from tests.feeding import feed_all
from tests.timeline.runs import Begin, Clients, Run

pytestmark = pytest.mark.django_db

HERS, OURS = b"her passport", b"our price list"


@pytest.fixture
def run(begin: Begin, api: Clients) -> Run:
    """A session of a person: a file of hers, and one that another session has too."""
    client = api()
    for data in (HERS, OURS):
        upload(client, data)
    begin({}, client=client, artifacts=[file("prices", OURS)])
    both = [file("passport", HERS), file("prices", OURS)]
    made = begin({}, client=client, user_id="ann", artifacts=both)
    feed_all()
    return made


def swept(after: timedelta = timedelta()) -> int:
    with acting_as(Role.RETENTION):
        return running.sweep(now=timezone.now() + after)


def erasure(admin: Api, made: Any) -> Any:
    return admin.get(f"/v1/erasures/{made['id']}").body


def test_what_nobody_else_names_is_deleted_and_counted(
    run: Run, admin: Api, store: Path
) -> None:
    made = begun_erasure(admin, user_id="ann")
    assert swept() == 0
    # A write may be about to name them; it is over within a minute.
    waiting = erasure(admin, made)
    assert (waiting["state"], waiting["waits_for"]) == ("running", "files")

    assert swept(timedelta(seconds=61)) == 1

    (kept,) = objects_in(store)
    assert (store / kept).read_bytes() == OURS
    done = erasure(admin, made)
    said = opened_certificate(done["certificate"].encode()).certificate
    assert said["counts"]["files"] == 1
    assert said["counts"]["uses_of_files"] == 2


def test_who_sends_the_bytes_meanwhile_keeps_them(
    run: Run, admin: Api, store: Path
) -> None:
    made = begun_erasure(admin, user_id="ann")
    swept()
    assert put(run.client, HERS).status == 200

    assert swept(timedelta(seconds=61)) == 1

    assert len(objects_in(store)) == 2
    assert "files" not in {one["what"] for one in erasure(admin, made)["rows"]}


def test_killed_between_object_and_row_it_is_completed(
    run: Run, admin: Api, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = begun_erasure(admin, user_id="ann")
    swept()

    class Killed(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("apps.blobs.operations.collecting.delete_row", die)
        with pytest.raises(Killed), acting_as(Role.RETENTION):
            running.sweep(now=timezone.now() + timedelta(seconds=61))
    assert Blob.objects.condemned().count() == 1

    assert swept(timedelta(seconds=61)) == 1
    assert not Blob.objects.condemned().exists()
    counts = {one["what"]: one["rows"] for one in erasure(admin, made)["rows"]}
    assert counts["files"] == 1


def test_a_store_that_is_away_keeps_the_erasure_waiting(
    run: Run, admin: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise ObjectsAway("nobody there")

    made = begun_erasure(admin, user_id="ann")
    swept()
    with monkeypatch.context() as patch:
        patch.setattr("apps.core.objects.store.Objects.delete", refuse)
        assert swept(timedelta(seconds=61)) == 0
    assert erasure(admin, made)["state"] == "running"

    assert swept(timedelta(seconds=61)) == 1
