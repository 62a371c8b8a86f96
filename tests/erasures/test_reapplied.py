"""The journal applied to a database that was put back: all of it, also in pieces."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.blobs.models import Blob
from apps.core.roles.names import Role
from apps.erasures import reapplying, running
from apps.erasures.models import Erasure
from apps.server import backups, starting
from tests.acting import acting_as
from tests.blobs.conftest import file, objects_in, upload
from tests.conftest import Api
from tests.erasures.leaving import begun_erasure, done, found_in, leave
from tests.timeline import runs

pytestmark = pytest.mark.django_db

HOLDS = "/v1/retention/legal-holds"
OTHER = "otherbird5120"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def back(api: runs.Clients, erase: Any, settings: Any, tmp_path: Path) -> None:
    """A database from before ann and ben were erased, with a file of ann's."""
    settings.OBJECTS = str(tmp_path / "objects")
    leave(api(), user="ann")
    erase(user_id="ann")
    leave(api(), user="ben", canary=OTHER)
    erase(user_id="ben")
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute("DELETE FROM erasures_erasure")
    leave(api(), user="ann")
    upload(api(), b"her passport")
    runs.begin(api(), {}, user_id="ann", artifacts=[file("passport", b"her passport")])
    leave(api(), user="ben", canary=OTHER)


def a_minute(_: float) -> None:
    """Have leases end, as they do while somebody waits."""
    Blob.objects.update(leased_until=LONG_AGO)


def reapply() -> reapplying.Reapplied:
    with acting_as(Role.RETENTION):
        return reapplying.reapply(now=timezone.now())


def test_files_that_were_named_within_a_day_are_waited_for(
    back: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", a_minute)

    again = reapply()

    assert again == reapplying.Reapplied(applied=2, left=())
    assert found_in() == found_in(OTHER) == {}
    assert objects_in(tmp_path / "objects") == []
    assert not reapplying.is_behind()


def test_one_that_a_legal_hold_keeps_holds_up_no_other(
    back: None, admin: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    said = {"kind": "user", "value": "ann", "reason": "A trial"}
    hold = done(admin.post(HOLDS, said))

    again = reapply()

    held = Erasure.objects.get(state="running")
    assert again.applied == 1
    assert again.left == (f"Erasure {held.id} is not over: a legal hold keeps it.",)
    assert found_in(OTHER) == {}
    assert found_in() != {}
    # The process that removes goes on once it may.
    done(admin.post(f"{HOLDS}/{hold['id']}/end", {"reason": "It is over"}))
    Blob.objects.update(leased_until=timezone.now())
    with acting_as(Role.RETENTION):
        assert running.run(held, now=timezone.now() + timedelta(minutes=2))
    assert found_in() == {}


def test_who_is_killed_in_its_middle_is_gone_on_from_before_anybody_is_served(
    back: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any, **__: Any) -> bool:
        raise InterruptedError

    assert reapplying.is_behind()
    with monkeypatch.context() as patch:
        patch.setattr(reapplying, "run", killed)
        with pytest.raises(InterruptedError):
            reapply()
    assert Erasure.objects.running().count() == 2
    assert reapplying.is_behind()

    monkeypatch.setattr(backups, "log_in_as", lambda _: None)
    monkeypatch.setattr(time, "sleep", a_minute)
    said: list[str] = []
    nothing: Any = None
    start = starting._Start(nothing, nothing, nothing, nothing, said.append)
    with acting_as(Role.RETENTION):
        start._erase_again()
        start._erase_again()

    assert said == ["Erasing whom the journal says is erased."]
    assert found_in() == found_in(OTHER) == {}


def test_a_database_that_knows_all_of_it_is_not_behind(
    api: runs.Clients, admin: Api, sweep: Any, erase: Any
) -> None:
    assert not reapplying.is_behind()
    leave(api())
    begun_erasure(admin, user_id="ann")

    assert not reapplying.is_behind()
    sweep()

    assert not reapplying.is_behind()
