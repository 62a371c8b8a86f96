"""Certificates, held against the database; and the journal after a restore."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from apps.backups.models import Backup
from apps.core.roles.names import Role
from apps.erasures import journal as journals
from apps.erasures import reapplying
from apps.erasures.errors import CertificateRefused, JournalMissing
from apps.erasures.journal import opened_certificate
from apps.erasures.models import Erasure
from apps.meaning.models import Stream
from apps.timeline.models import Tombstone
from tests.acting import acting_as, past_triggers
from tests.conftest import Api
from tests.erasures.leaving import done, found_in, leave
from tests.timeline import runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def kept(api: runs.Clients, erase: Any, tmp_path: Path) -> Path:
    """The certificate of what was erased of ann."""
    leave(api())
    file = tmp_path / "certificate"
    file.write_text(erase(user_id="ann")["certificate"])
    return file


def verified(file: Path, user: str = "ann") -> None:
    with acting_as(Role.WORKER):
        call_command("verify", certificate=str(file), user=user)


def test_it_holds_where_nothing_of_the_person_is_there(kept: Path) -> None:
    verified(kept)


def test_what_the_api_answers_is_a_certificate_as_well(kept: Path, admin: Api) -> None:
    (erasure,) = done(admin.get("/v1/erasures"))["data"]
    answer = admin.get(f"/v1/erasures/{erasure['id']}")
    kept.write_bytes(answer.content)

    verified(kept)

    kept.write_bytes(answer.content.replace(b"bytes", b"bites"))
    with pytest.raises(CommandError, match="does not hold"):
        verified(kept)


def test_it_names_the_backups_that_hold_it_still_and_until_when(
    api: runs.Clients, erase: Any, settings: Any
) -> None:
    settings.BACKUPS = "/b"
    night = datetime(2026, 11, 26, 2, tzinfo=UTC)
    told = {"bytes": 1, "sha256": "0" * 64, "is_encrypted": False}
    before = night - timedelta(days=1)
    with acting_as(Role.OWNER):
        Backup.objects.create(name="kept", place="/b", made_at=night, **told)
        Backup.objects.create(name="old", place="/a", made_at=before, **told)
        Backup.objects.create(
            name="gone", place="/b", made_at=night, removed_at=night, **told
        )
    leave(api())

    said = opened_certificate(erase(user_id="ann")["certificate"].encode())

    assert said.certificate["backups_known"] == [
        {
            "name": "kept",
            "made_at": "2026-11-26T02:00:00.000000Z",
            "until": "2026-12-24T02:00:00.000000Z",
        },
        # No rotation deletes what is where backups went before.
        {"name": "old", "made_at": "2026-11-25T02:00:00.000000Z", "until": None},
    ]


def test_a_tombstone_of_another_history_is_named(kept: Path) -> None:
    with past_triggers():
        Tombstone.objects.update(chain_after=b"x" * 32)

    with pytest.raises(CommandError, match="is of another history"):
        verified(kept)


def test_what_is_left_of_a_history_is_named(kept: Path, api: runs.Clients) -> None:
    stone = Tombstone.objects.first()
    assert stone is not None
    with acting_as(Role.OWNER):
        Stream.objects.create(stream_id=stone.session_id, model="m")

    with pytest.raises(CommandError, match="1 vectors are there"):
        verified(kept)


def test_what_is_there_of_the_person_is_named(kept: Path, api: runs.Clients) -> None:
    run = runs.begin(api(), {"n": 1}, user_id="ann")

    with pytest.raises(CommandError, match=f"{run.id} is there"):
        verified(kept)


def test_one_about_somebody_else_is_refused(kept: Path) -> None:
    with pytest.raises(CommandError, match="somebody else"):
        verified(kept, "ben")


def test_one_that_was_altered_is_refused(kept: Path) -> None:
    kept.write_text(kept.read_text().replace('"bytes":', '"bites":', 1))

    with pytest.raises(CommandError, match="does not hold"):
        verified(kept)


def test_one_that_nobody_signed_is_refused(kept: Path) -> None:
    text = kept.read_text().split("\n\n")[0].split("\n", 1)[1]
    kept.write_text(f"unsigned\n{text}\n\n")

    with pytest.raises(CommandError, match="not signed"):
        verified(kept)


def put_back() -> None:
    """Have the database know nothing of erasures, as a backup from before does."""
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute("DELETE FROM erasures_erasure")


def test_whoever_comes_back_with_a_backup_is_erased_again(
    kept: Path, api: runs.Clients
) -> None:
    leave(api(), user="ben", canary="otherbird")
    leave(api()).fork()
    others = found_in("otherbird")
    put_back()

    with acting_as(Role.RETENTION):
        applied = reapplying.reapply(now=timezone.now()).applied
        again = reapplying.reapply(now=timezone.now()).applied

    assert (applied, again) == (1, 0)
    assert found_in() == {}
    assert found_in("otherbird") == others
    assert len(list(journals.entries())) == 1
    assert bytes(Erasure.objects.get().entry or b"").decode() == kept.read_text()


def test_without_a_journal_it_stops() -> None:
    with pytest.raises(JournalMissing):
        reapplying.require_journal()


def test_a_journal_of_which_an_entry_is_missing_is_refused(
    kept: Path, journal: Path
) -> None:
    (entry,) = journal.glob("*/*.note")
    entry.rename(entry.with_name("000000000002.note"))

    with pytest.raises(CertificateRefused, match="missing"):
        reapplying.require_journal()


@pytest.mark.parametrize("step", ["look", "_take", "_tidy", "finish"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_whoever_is_killed_at_a_step_is_gone_on_from(
    api: runs.Clients,
    admin: Any,
    sweep: Any,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    when: str,
) -> None:
    from apps.erasures.running import sweeping
    from tests.erasures.leaving import begun_erasure

    leave(api()).fork()
    made = begun_erasure(admin, user_id="ann")
    real = getattr(sweeping, step)

    def killed(*args: Any, **said: Any) -> Any:
        if when == "after":
            real(*args, **said)
        raise InterruptedError

    with monkeypatch.context() as patch:
        patch.setattr(sweeping, step, killed)
        sweep()
    sweep()

    found = done(admin.get(f"/v1/erasures/{made['id']}"))
    assert found["state"] == "done"
    assert found_in() == {}
    (entry,) = journals.entries()
    assert entry.certificate["data_points_deleted"] == found["data_points_deleted"]


def test_who_is_killed_behind_the_journal_ends_with_its_entry(
    api: runs.Clients, admin: Any, sweep: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from apps.erasures.running import ending
    from tests.erasures.leaving import begun_erasure

    leave(api())
    made = begun_erasure(admin, user_id="ann")

    def killed(*_: Any, **__: Any) -> Any:
        raise InterruptedError

    with monkeypatch.context() as patch:
        patch.setattr(ending.audit, "record_act", killed)
        sweep()
    (entry,) = journals.entries()
    assert sweep() == 1

    found = done(admin.get(f"/v1/erasures/{made['id']}"))
    assert found["certificate"] == entry.data.decode()
    assert len(list(journals.entries())) == 1
