"""Making backups: what is stored, what goes, and what a failure leaves."""

import os
import shutil
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pyrage
import pytest
from django.db import connection

from apps.backups import health, journal, places
from apps.backups.errors import (
    BackupFailed,
    BackupRunning,
    BackupsMisconfigured,
    BackupUnreadable,
)
from apps.backups.making import Wanted, make, make_if_due, opened
from apps.backups.models import Attempt, Backup
from apps.backups.places import place
from apps.core.notes.folder import Folder
from apps.core.roles.names import Role
from tests.acting import acting_as
from tests.backups.conftest import Dump

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 11, 26, 2, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _as_the_owner() -> Iterator[None]:
    with acting_as(Role.OWNER):
        yield


def stored(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_it_is_stored_for_its_owner_alone_and_read_back(
    wanted: Wanted, folder: Path, dump: Dump
) -> None:
    made = make(wanted, dump, now=NOW)

    assert stored(folder) == ["stepback-20261126T020000Z.backup"]
    file = folder / made.name
    assert file.read_bytes() == b"a database " * 1000
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (made.bytes, made.is_encrypted) == (11_000, False)
    assert Attempt.objects.get().error == ""


def test_one_a_day_is_made_and_older_ones_go(
    wanted: Wanted, folder: Path, dump: Dump
) -> None:
    made = [
        make_if_due(wanted, dump, now=NOW + DAY * day + timedelta(hours=hour))
        for day in range(40)
        for hour in (0, 1, 23)
    ]

    names = [one.name for one in made if one is not None]
    assert len(names) == 40
    assert set(stored(folder)) == {one.name for one in Backup.objects.kept()}
    assert 9 <= len(stored(folder)) <= 11
    assert names[-1] in stored(folder)
    assert Backup.objects.count() == 40


def test_what_somebody_else_has_deleted_is_noted(
    wanted: Wanted, folder: Path, dump: Dump
) -> None:
    made = make(wanted, dump, now=NOW)
    (folder / made.name).unlink()

    assert make_if_due(wanted, dump, now=NOW + timedelta(hours=1)) is not None
    made.refresh_from_db()
    assert made.removed_at == NOW + timedelta(hours=1)


def test_an_encrypted_one_is_opened_by_its_identity_alone(
    wanted: Wanted, folder: Path, dump: Dump, tmp_path: Path
) -> None:
    identity, other = pyrage.x25519.Identity.generate(), tmp_path / "other"
    own = tmp_path / "identity"
    own.write_text(f"# created: today\n# public key: …\n{identity}\n", "utf-8")
    own.write_text(f"# created: today\n{identity}\n")
    other.write_text(f"{pyrage.x25519.Identity.generate()}\n")
    recipient = str(identity.to_public())

    made = make(Wanted(where=wanted.where, recipient=recipient), dump, now=NOW)

    file = folder / made.name
    assert made.name.endswith(".backup.age")
    assert b"a database" not in file.read_bytes()
    with opened(file, str(own)) as plain:
        assert plain.read_bytes() == b"a database " * 1000
        kept = plain
    assert not kept.exists()
    for wrong in (str(other), str(folder / made.name), str(folder / "none"), None):
        with pytest.raises(BackupUnreadable), opened(file, wrong):
            pytest.fail("It was opened.")


def test_an_encrypted_one_that_was_cut_gives_nothing(
    wanted: Wanted, folder: Path, tmp_path: Path
) -> None:
    identity = pyrage.x25519.Identity.generate()
    own = tmp_path / "identity"
    own.write_text(str(identity))
    asked = Wanted(where=wanted.where, recipient=str(identity.to_public()))
    made = make(asked, lambda file: file.write_bytes(os.urandom(1 << 20)), now=NOW)
    whole = (folder / made.name).read_bytes()
    # Pieces of 64 KiB are each whole by themselves.
    for length in (len(whole) - 1, len(whole) // 2, 100):
        (folder / made.name).write_bytes(whole[:length])
        with pytest.raises(BackupUnreadable), opened(folder / made.name, str(own)):
            pytest.fail("It was opened.")
        assert not list((tmp_path / "var").glob("stepback-backup-*"))


@pytest.mark.parametrize("recipient", ["", "age1wrong", "AGE-SECRET-KEY-1", "x" * 62])
def test_a_recipient_that_is_none_is_refused(
    recipient: str, settings: Any, folder: Path
) -> None:
    settings.BACKUPS, settings.BACKUP_RECIPIENT = str(folder), recipient

    if recipient:
        with pytest.raises(BackupsMisconfigured, match="STEPBACK_BACKUP_RECIPIENT"):
            Wanted.of_settings()
    else:
        assert Wanted.of_settings() == Wanted(where=str(folder))


def test_a_recipient_without_a_place_is_refused(settings: Any) -> None:
    identity = pyrage.x25519.Identity.generate()
    settings.BACKUPS, settings.BACKUP_RECIPIENT = "", str(identity.to_public())

    with pytest.raises(BackupsMisconfigured, match="STEPBACK_BACKUPS is not"):
        Wanted.of_settings()


@pytest.mark.parametrize("where", ["ftp://host/x", "gs://bucket", "s3://"])
def test_a_place_that_is_none_is_refused(where: str) -> None:
    with pytest.raises(BackupsMisconfigured, match="STEPBACK_BACKUPS"):
        place(where)


def test_one_that_is_not_read_back_as_written_is_no_backup(
    wanted: Wanted, folder: Path, dump: Dump, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make(wanted, dump, now=NOW - DAY * 30)
    put = places.Directory.put

    def put_wrongly(self: places.Directory, name: str, file: Path) -> None:
        put(self, name, file)
        with (self.path / name).open("r+b") as stored:
            stored.seek(5_000)
            stored.write(b"X")

    monkeypatch.setattr(places.Directory, "put", put_wrongly)
    with pytest.raises(BackupFailed, match="not read back"):
        make(wanted, dump, now=NOW)

    assert stored(folder) == [first.name]
    assert "not read back" in Attempt.objects.get().error
    assert [one.name for one in Backup.objects.kept()] == [first.name]


def test_one_that_could_not_be_read_back_is_none_and_takes_nobodys_place(
    wanted: Wanted, folder: Path, dump: Dump, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make(wanted, dump, now=NOW)

    def read(self: places.Directory, name: str) -> Any:
        raise BackupFailed("The store went away while it was read.")

    # Cut off behind what was stored: by a store that is away, or by a kill.
    with monkeypatch.context() as patch:
        patch.setattr(places.Directory, "read", read)
        with pytest.raises(BackupFailed, match="went away"):
            make(wanted, dump, now=NOW + timedelta(hours=20))
    unread = "stepback-20261126T220000Z.backup"
    assert stored(folder) == [first.name, unread]

    made = make_if_due(wanted, dump, now=NOW + timedelta(hours=24))

    assert made is not None
    # The newest of its day was never read back: the one that was stays beside it.
    assert stored(folder) == [first.name, unread, made.name]
    for day in range(2, 40):
        make_if_due(wanted, dump, now=NOW + DAY * day)
    assert not {first.name, unread} & set(stored(folder))


def test_a_dump_that_fails_leaves_what_was_there(
    wanted: Wanted, folder: Path, dump: Dump, tmp_path: Path
) -> None:
    first = make(wanted, dump, now=NOW - DAY * 30)

    def fail(file: Path) -> None:
        file.write_bytes(b"half")
        raise BackupFailed("pg_dump did not finish: no space left on device.")

    with pytest.raises(BackupFailed, match="no space left"):
        make_if_due(wanted, fail, now=NOW)

    assert stored(folder) == [first.name]
    assert not list((tmp_path / "var").glob("stepback-backup-*"))
    assert "no space left" in Attempt.objects.get().error


def test_a_folder_that_cannot_be_written_is_told_of(
    wanted: Wanted, folder: Path, dump: Dump
) -> None:
    folder.write_text("a file where the folder should be")

    with pytest.raises(BackupFailed, match=f"Cannot .* {folder}"):
        make(wanted, dump, now=NOW)


def test_what_a_killed_one_left_goes_with_the_next(
    wanted: Wanted, folder: Path, dump: Dump, tmp_path: Path
) -> None:
    folder.mkdir()
    (folder / ".stepback-20261125T020000Z.backup.0a1b2c3d.unfinished").write_text("h")
    (tmp_path / "var" / "stepback-backup-x").mkdir()
    (tmp_path / "var" / "stepback-backup-x" / "plain").write_text("half")

    made = make(wanted, dump, now=NOW)

    assert stored(folder) == [made.name]
    assert [one.name for one in (tmp_path / "var").iterdir()] == []


def test_of_two_at_once_one_makes_it(wanted: Wanted, dump: Dump) -> None:
    parameters = connection.get_connection_params()
    parameters = {
        key: parameters[key]
        for key in ("host", "port", "user", "password", "dbname")
        if key in parameters
    }
    with psycopg.connect(**parameters, autocommit=True) as other:
        other.execute(
            "SELECT pg_advisory_lock(hashtextextended('stepback backups', 0))"
        )
        with pytest.raises(BackupRunning):
            make(wanted, dump, now=NOW)
        other.execute("SELECT pg_advisory_unlock_all()")

    assert make(wanted, dump, now=NOW).bytes == 11_000


class TestJournal:
    def test_it_is_copied_beside_them_and_fetched_again(
        self, wanted: Wanted, folder: Path, dump: Dump, tmp_path: Path
    ) -> None:
        here = Folder(tmp_path / "var" / "erasures")
        here.make()
        for number in (1, 2):
            here.write(number, f"entry {number}".encode())
        make(wanted, dump, now=NOW)
        here.write(3, b"entry 3")
        # Entries are copied every hour, whether a backup is due or not.
        assert make_if_due(wanted, dump, now=NOW + timedelta(hours=1)) is None
        shutil.rmtree(here.path)

        assert journal.fetch_from(place(wanted.where)) == 3
        assert journal.fetch_from(place(wanted.where)) == 0
        assert [here.read(n) for n in (1, 2, 3)] == [b"entry 1", b"entry 2", b"entry 3"]

    def test_what_is_here_is_never_replaced(
        self, wanted: Wanted, folder: Path, tmp_path: Path
    ) -> None:
        folder.mkdir()
        (folder / "erasure-000000000001.note").write_bytes(b"another")
        here = Folder(tmp_path / "var" / "erasures")
        here.make()
        here.write(1, b"entry 1")

        assert journal.fetch_from(place(wanted.where)) == 0
        assert here.read(1) == b"entry 1"

    def test_another_journal_beside_the_backups_is_named(
        self, wanted: Wanted, folder: Path, dump: Dump, tmp_path: Path
    ) -> None:
        """Begun anew after a restore without it, ours would be kept nowhere."""
        folder.mkdir()
        (folder / "erasure-000000000001.note").write_bytes(b"of before")
        here = Folder(tmp_path / "var" / "erasures")
        here.make()
        here.write(1, b"entry 1")

        with pytest.raises(BackupFailed, match="another journal of erasures"):
            make_if_due(wanted, dump, now=NOW)

        assert "another journal of erasures" in Attempt.objects.get().error

    def test_where_nothing_is_kept_there_is_no_journal_either(
        self, wanted: Wanted, folder: Path, dump: Dump, tmp_path: Path
    ) -> None:
        """The folder of a disk that is not mounted must not say: nobody was erased."""
        here = tmp_path / "var" / "erasures"

        assert journal.fetch_from(place(wanted.where)) == 0
        assert not here.exists()

        # A backup was made and no entry is beside it: nobody had been erased.
        Folder(here).make()
        make(wanted, dump, now=NOW)
        shutil.rmtree(here)
        assert journal.fetch_from(place(wanted.where)) == 0
        assert here.is_dir()


def test_backups_of_another_place_are_there_until_somebody_deletes_them(
    wanted: Wanted, folder: Path, dump: Dump, tmp_path: Path
) -> None:
    """Certificates of erasures name them: they hold whom they held."""
    before = make(wanted, dump, now=NOW)

    made = make_if_due(Wanted(where=str(tmp_path / "new")), dump, now=NOW + DAY)

    assert made is not None
    assert (folder / before.name).exists()
    assert set(Backup.objects.kept()) == {made, before}


class TestHealth:
    @pytest.fixture(autouse=True)
    def _asks_anew(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(health, "PROBE", Asking())

    def test_without_a_place_it_says_so(self, settings: Any) -> None:
        settings.BACKUPS = ""

        assert health.report() == {"status": "no backups", "age_seconds": None}

    def test_it_is_late_when_none_is_of_the_last_day(
        self, wanted: Wanted, dump: Dump, settings: Any
    ) -> None:
        settings.BACKUPS = wanted.where
        assert health.report()["status"] == "unavailable"
        now = datetime.now(UTC)

        with acting_as(Role.OWNER):
            make(wanted, dump, now=now - timedelta(hours=28))
        assert health.report()["status"] == "late"

        with acting_as(Role.OWNER):
            make(wanted, dump, now=now)
        assert health.report()["status"] == "healthy"


class Asking:
    """Asks in this thread, as a probe does in one of its own."""

    def answer(self) -> float:
        return health.ask_age()
