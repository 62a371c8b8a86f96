"""Old bodies move into objects outside the database, and are read as before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from apps.accounts.models import Project
from apps.blobs import operations as blobs
from apps.blobs import places
from apps.core.actors import SYSTEM
from apps.core.ids import new_id
from apps.core.objects import Objects, ObjectsAway
from apps.core.roles.names import Role
from apps.retention import operations as retention
from apps.retention.terms import Terms
from apps.retention.words import HoldKind
from apps.timeline import bodies, operations
from apps.timeline.bodies import ARCHIVED
from apps.timeline.hooks.keeping import allowed
from apps.timeline.models import Body
from apps.timeline.operations import Went
from apps.timeline.queries import storage
from apps.timeline.verification import verify_session
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import feed_all
from tests.retention.aged import (
    NOW,
    Past,
    enabled,
    previewed,
    swept,
    taken,
    versions_by_step,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def store(tmp_path: Path, settings: Any) -> Iterator[Path]:
    settings.OBJECTS = str(tmp_path / "objects")
    places._opened.cache_clear()
    yield tmp_path / "objects"
    places._opened.cache_clear()


def objects(store: Path) -> list[str]:
    return sorted(
        str(one.relative_to(store)) for one in store.rglob("*") if one.is_file()
    )


def archived(past: Past) -> list[int]:
    found = Body.objects.filter(session_id=past.id, codec__gt=ARCHIVED)
    return sorted(found.values_list("number", flat=True))


def grown(project: Project, versions: int = 70, **about: Any) -> Past:
    """A session of two key-frame groups and the beginning of a third."""
    days = [90.0 - n / 10 for n in range(versions)]
    return Past.of(project, days, **about)


def archive(past: Past, last: int = 1_000) -> Any:
    feed_all()
    with acting_as(Role.RETENTION):
        return operations.archive_versions(session_id=past.id, first=0, last=last)


def states(client: Any, past: Past) -> list[Any]:
    """Every version's state, from what is stored."""
    found = []
    for number in past.numbers:
        bodies.cache.forget(past.id)
        found.append(read(client, past, number).body["state"])
    return found


def read(client: Any, past: Past, number: int) -> Any:
    return client.get(f"/v1/sessions/{past.id}/versions/{number}")


@pytest.fixture
def unanswered(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`unanswered()` has the store answer nobody; `unanswered(False)` ends it."""

    def switch(is_away: bool = True) -> None:
        def refuse(self: Objects, *args: Any, **more: Any) -> Any:
            raise ObjectsAway("nobody answers")

        for name in ("create", "get", "range", "size", "sizes", "delete"):
            if is_away:
                monkeypatch.setattr(Objects, name, refuse)
        if not is_away:
            monkeypatch.undo()

    return switch


def test_what_is_archived_reads_as_it_did(
    project: Project, admin: Any, store: Path
) -> None:
    past = grown(project)
    before = states(admin, past)

    gone = archive(past)

    assert (gone.outcome, gone.versions) == (Went.DONE, 64)
    assert archived(past) == list(range(64))
    assert len(objects(store)) == 1
    assert states(admin, past) == before
    past.require_whole()


def test_a_group_is_fetched_by_one_request(
    project: Project, admin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = grown(project)
    archive(past)
    asked = []
    ask = Objects.range

    def counting(self: Objects, *args: Any) -> Any:
        asked.append(args)
        return ask(self, *args)

    monkeypatch.setattr(Objects, "range", counting)
    bodies.cache.forget(past.id)
    read(admin, past, 31)
    assert len(asked) == 1
    asked.clear()
    past.require_whole()
    assert len(asked) == 2


def test_while_the_store_is_away_what_is_recent_is_read_and_written(
    project: Project, admin: Any, unanswered: Any
) -> None:
    past = grown(project)
    archive(past)
    bodies.cache.forget(past.id)
    unanswered()

    refused = read(admin, past, 20)
    assert (refused.status, refused.code) == (503, "service_unavailable")
    assert refused.headers["Retry-After"]
    assert read(admin, past, 66).status == 200
    assert admin.get(f"/v1/sessions/{past.id}/state").status == 200
    assert past.write(1) == 70
    unverified = admin.get(f"/v1/sessions/{past.id}/verify")
    assert unverified.status == 503

    unanswered(False)
    assert read(admin, past, 20).status == 200
    past.require_whole()


def test_what_is_written_after_a_rollback_to_it_needs_no_archive(
    project: Project, admin: Any, unanswered: Any
) -> None:
    past = grown(project)
    archive(past)
    past.rollback(20, at=2)
    written = past.write(1)
    fork = past.fork(20, at=1)
    base = Body.objects.get(session_id=past.id, number=written).base_number
    assert base is None
    past.require_whole()
    fork.require_whole()

    bodies.cache.forget(past.id)
    bodies.cache.forget(fork.id)
    unanswered()
    assert read(admin, past, written).status == 200
    assert read(admin, fork, 0).status == 200


@pytest.mark.parametrize("harm", ["changed", "cut", "missing"])
def test_an_object_that_is_not_what_it_was_is_named_by_its_versions(
    project: Project, admin: Any, store: Path, harm: str
) -> None:
    past = grown(project)
    archive(past)
    (name,) = objects(store)
    file = store / name
    data = file.read_bytes()
    if harm == "changed":
        file.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    elif harm == "cut":
        file.write_bytes(data[: len(data) // 2 - 1])
    else:
        file.unlink()
    bodies.cache.forget(past.id)

    report = verify_session(past.id)

    assert report.first_broken is not None
    assert report.first_broken.number == (31 if harm == "cut" else 0)
    assert "archives/" in report.first_broken.sentence
    assert read(admin, past, 40 if harm == "cut" else 3).status == 500
    assert read(admin, past, 66).status == 200


def test_a_policy_archives_what_its_preview_counted(
    project: Project, store: Path
) -> None:
    past = grown(project)
    feed_all()
    made = retention.make_policy(act=act_in(project), terms=Terms(archive_days=85))
    preview = previewed(project, made)
    assert not objects(store)
    assert not archived(past)
    retention.enable_policy(
        act=act_in(project), policy_id=made.id, preview_id=preview.id
    )

    swept()

    assert archived(past) == list(range(32))
    assert taken(made).counts == preview.counts
    assert taken(made).counts["steps"]["archive"]["versions"] == 32
    past.require_whole()
    assert swept(NOW + timedelta(days=10)) > 0
    assert archived(past) == list(range(64))
    past.require_whole()


def test_what_is_emptied_is_in_no_object_and_what_stays_comes_back(
    project: Project, admin: Any, store: Path
) -> None:
    past = grown(project)
    before = states(admin, past)
    archive(past)
    policy = enabled(project, empty_days=88)

    swept()

    gone = versions_by_step(taken(policy))["empty"]
    assert gone == 21
    assert not objects(store)
    assert not archived(past)
    for number in range(gone, 70):
        bodies.cache.forget(past.id)
        assert read(admin, past, number).body["state"] == before[number]
    past.require_whole()


def test_what_is_pruned_and_removed_takes_its_objects(
    project: Project, store: Path
) -> None:
    past, other = grown(project), grown(project)
    archive(past)
    archive(other)
    policy = enabled(project, prune_days=85)
    swept()
    assert not objects(store)
    past.require_whole()
    retention.disable_policy(act=act_in(project), policy_id=policy.id)
    archive(past)
    assert objects(store)
    enabled(project, remove_days=30)
    swept()
    assert not past.is_there
    assert not objects(store)


def test_under_a_legal_hold_nothing_is_moved(project: Project, store: Path) -> None:
    past = grown(project)
    enabled(project, archive_days=30)
    retention.set_legal_hold(
        act=act_in(project), kind=HoldKind.SESSION, value=past.id, reason="A v. B"
    )
    swept()
    assert archive(past).outcome is Went.HELD
    assert not archived(past)
    assert not objects(store)


def test_a_store_that_is_away_takes_nothing_and_holds_nothing_up(
    project: Project, unanswered: Any, store: Path
) -> None:
    past = grown(project)
    policy = enabled(project, archive_days=30, empty_days=88)
    unanswered()
    swept()
    found = taken(policy).counts
    assert found["pinned"]["store away"] == 1
    assert found["steps"]["empty"]["versions"] == 21
    assert not archived(past)
    unanswered(False)
    swept()
    assert archived(past)
    past.require_whole()


def test_an_object_that_no_row_names_goes_after_a_day(
    project: Project, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = grown(project)
    archive(past)
    (kept,) = objects(store)
    left = f"archives/{past.id}/{new_id('arch', now=NOW)}-5"
    (store / left).write_bytes(b"left")
    now = timezone.now()

    assert operations.sweep_archives(now=now) == 0
    assert blobs.sweep_objects(actor=SYSTEM, now=now + timedelta(days=2)) == 0
    assert operations.sweep_archives(now=now + timedelta(days=2)) == 1
    assert objects(store) == [kept]
    past.require_whole()


def test_what_changes_while_it_is_written_stays_and_leaves_no_object(
    project: Project, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = grown(project)
    feed_all()
    create = Objects.create

    def and_somebody_steps_back(self: Objects, name: str, data: bytes) -> None:
        create(self, name, data)
        with acting_as(Role.WEB):
            past.rollback(40, at=1)

    monkeypatch.setattr(Objects, "create", and_somebody_steps_back)
    assert archive(past).outcome is Went.PINNED
    assert not archived(past)
    assert not objects(store)
    past.require_whole()


def test_storage_counts_tables_archives_and_files(project: Project) -> None:
    past = grown(project)
    before = storage.usage(project_id=None, largest=1).total
    archive(past)
    found = storage.usage(project_id=None, largest=1)
    total, (session,) = found.total, found.sessions
    (kept,) = [one for one in storage.objects() if one.what == "archives"]
    out = StringIO()
    call_command("storage", stdout=out)

    assert (total.archived_bodies, session.archived_bodies) == (64, 64)
    assert (kept.objects, kept.size) == (1, total.archived)
    assert total.stored - 64 * 96 + total.archived == before.stored
    assert "of 64 bodies in archives" in out.getvalue()
    assert "  archives: 1 objects" in out.getvalue()
    assert "  files: 0 objects" in out.getvalue()


def test_storage_says_where_the_store_is_away(
    project: Project, unanswered: Any
) -> None:
    unanswered()
    out = StringIO()
    call_command("storage", stdout=out)
    assert "not counted, the store is away (nobody answers)" in out.getvalue()


@pytest.mark.parametrize(
    "change",
    [
        "codec = codec + 32, data = data",
        "codec = codec + 32, data = repeat('x', 96)::bytea",
        "codec = codec + 32, size = size + 1",
        "codec = 65",
    ],
)
def test_retention_puts_nothing_else_in_the_place_of_bytes(
    project: Project, change: str
) -> None:
    past = grown(project, 3)
    with (
        acting_as(Role.RETENTION),
        pytest.raises(IntegrityError, match="not rewritten"),
        transaction.atomic(),
        allowed(),
        connection.cursor() as cursor,
    ):
        cursor.execute(
            f"UPDATE timeline_body SET {change} WHERE session_id = %s", [past.id]
        )


def test_what_comes_back_is_what_was_archived_and_nothing_else(
    project: Project,
) -> None:
    past = grown(project)
    archive(past)
    with (
        acting_as(Role.RETENTION),
        pytest.raises(IntegrityError, match="not rewritten"),
        transaction.atomic(),
        allowed(),
        connection.cursor() as cursor,
    ):
        cursor.execute(
            "UPDATE timeline_body SET codec = codec - 32, data = 'other'"
            " WHERE session_id = %s AND number = 3",
            [past.id],
        )
