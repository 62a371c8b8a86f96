"""After an erasure all of it verifies, also against what was signed before."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Count
from django.utils import timezone

from apps.accounts.models import Project
from apps.core.roles.names import Role
from apps.timeline.models import Session, Tombstone
from apps.witness import signing
from tests.acting import acting_as, past_triggers, tampering
from tests.conftest import Api
from tests.erasures.leaving import begun_erasure, done, found_in, leave
from tests.feeding import feed_all
from tests.memory.conftest import Mind
from tests.memory.conftest import done as remembered
from tests.retention.aged import enabled, swept
from tests.timeline import runs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def roots(tmp_path: Path, settings: Any) -> Path:
    """The folder of signed notes; the key is that of the journal."""
    settings.ROOTS = tmp_path / "roots"
    return settings.ROOTS


def sign() -> None:
    feed_all()
    signing.sweep(now=timezone.now())


def verified() -> str:
    out = StringIO()
    with acting_as(Role.WORKER):
        call_command("verify", stdout=out, stderr=out)
    return out.getvalue()


def test_what_was_signed_is_accounted_for(api: runs.Clients, erase: Any) -> None:
    leave(api(), user="ben", canary="otherbird")
    leave(api()).fork()
    sign()

    erase(user_id="ann")

    assert "All of it holds" in verified()
    sign()
    assert "All of it holds" in verified()


def test_who_comes_back_is_erased_once_more(api: runs.Clients, erase: Any) -> None:
    leave(api())
    sign()
    erase(user_id="ann")
    leave(api())
    assert "All of it holds" in verified()
    sign()
    assert "All of it holds" in verified()

    erased = erase(user_id="ann")

    assert erased["data_points_deleted"] > 20
    assert found_in() == {}
    assert "All of it holds" in verified()
    sign()
    assert "All of it holds" in verified()


def test_memories_that_were_emptied_are_erased_and_begin_anew(
    admin: Api, project: Project, erase: Any
) -> None:
    enabled(project, empty_days=7)
    mind = Mind(admin)
    for _ in range(2):
        id = mind.add("Likes tea", user_id="ann")["id"]
        for content in ("Likes coffee", "Likes water"):
            remembered(mind.patch(id, content=content))
        mind.add("Lives in Rome", user_id="ann")
        assert "All of it holds" in verified()
        swept(now=timezone.now() + timedelta(days=400))
        assert "All of it holds" in verified()
        erase(user_id="ann")
        assert "All of it holds" in verified()


def test_the_first_of_two_removals_of_a_document_is_held_to_its_note(
    api: runs.Clients, erase: Any
) -> None:
    for _ in range(2):
        leave(api())
        erase(user_id="ann")
        sign()
    twice = Tombstone.objects.values("session_id").annotate(n=Count("kind"))
    (came_back,) = [one["session_id"] for one in twice if one["n"] == 2]
    stones = Tombstone.objects.filter(session_id=came_back).order_by("created_at")
    assert "All of it holds" in verified()

    with past_triggers():
        Tombstone.objects.filter(
            session_id=came_back, created_at=stones[0].created_at
        ).delete()

    with pytest.raises(CommandError, match=f"{came_back}: note 2 signed .* another"):
        verified()


def test_memories_that_are_written_meanwhile_go_as_well(
    api: runs.Clients, admin: Any, sweep: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from apps.erasures.running import sweeping

    client, tidy, written = api(), sweeping._tidy, []
    leave(client)
    made = begun_erasure(admin, user_id="ann")
    said = {"content": "Likes canarybird7361", "scope": "user", "user_id": "ann"}

    def remember_again(*args: Any) -> None:
        tidy(*args)
        if not written:
            with acting_as(Role.WEB):
                written.append(done(client.post("/v1/memories", said)))

    monkeypatch.setattr(sweeping, "_tidy", remember_again)

    assert sweep() == 1
    assert written
    assert found_in() == {}
    assert done(admin.get(f"/v1/erasures/{made['id']}"))["state"] == "done"
    assert "All of it holds" in verified()


def test_a_history_that_does_not_hold_stays_and_the_erasure_says_so(
    api: runs.Clients, admin: Any, sweep: Any
) -> None:
    run = leave(api())
    made = begun_erasure(admin, user_id="ann")
    with tampering("timeline_version"):
        from apps.timeline.models import Version

        first = Version.objects.filter(session_id=run.id, number=0)
        leaf = bytes(first.get().leaf)
        first.update(leaf=b"x" * 32)

    assert sweep() == 0
    found = done(admin.get(f"/v1/erasures/{made['id']}"))
    assert (found["state"], found["waits_for"]) == ("running", "damaged_history")
    assert (found["histories"], found["histories_gone"]) == (3, 0)
    assert found["certificate"] is None
    assert Session.objects.filter(id=run.id).exists()

    with tampering("timeline_version"):
        first.update(leaf=leaf)
    assert sweep() == 1
    assert done(admin.get(f"/v1/erasures/{made['id']}"))["waits_for"] is None
    assert found_in() == {}


def test_a_long_session_goes_in_parts_with_a_tombstone_each(
    api: runs.Clients, erase: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from apps.timeline.operations.keeping import removing

    run = leave(api())
    for step in range(7):
        run.patch({"step": step})
    monkeypatch.setattr(removing, "MOST", 3)

    erase(user_id="ann")

    stones = list(Tombstone.objects.of_session(run.id))
    assert len(stones) >= 3
    assert [one.first_number for one in stones[1:]] == [
        one.last_number + 1 for one in stones[:-1]
    ]
    assert found_in() == {}
    assert "All of it holds" in verified()
