"""Old values of keyed documents move into objects, and are read as before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.audit.streams import Operation
from apps.blobs import places
from apps.core.objects import Objects, ObjectsAway
from apps.core.roles.names import Role
from apps.retention import operations as retention
from apps.retention.counts import Counts
from apps.retention.models import Policy, Removal
from apps.retention.sweeping import count_previews
from apps.retention.words import HoldKind
from apps.timeline import bodies, operations
from apps.timeline.bodies import ARCHIVED
from apps.timeline.models import Body, Session
from apps.timeline.operations import (
    Document,
    Restoration,
    Told,
    Went,
    restore_document,
)
from tests.acting import acting_as
from tests.acts import act_in
from tests.conftest import Api
from tests.data.conftest import AGENT, Store, made
from tests.memory.conftest import Mind, done
from tests.retention.aged import enabled, swept, taken

pytestmark = pytest.mark.django_db(transaction=True)
LATER = timedelta(days=400)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Iterator[Path]:
    settings.OBJECTS = str(tmp_path / "objects")
    places._opened.cache_clear()
    yield tmp_path / "objects"
    places._opened.cache_clear()


def large(word: str) -> str:
    """Return a text that nobody compresses."""
    return "".join(
        hashlib.sha256(b"%d" % n + word.encode()).hexdigest() for n in range(9)
    )


VALUES = [large(word) for word in ("first", "second", "third")]


@pytest.fixture
def store(admin: Api) -> Store:
    """Two keys of three values each, of which a checkpoint shows the first ones.

    Those of `a` are large: v1, v3 and v5, before a sixth version and one more.
    """
    admin.post("/v1/agents", {"name": AGENT, "external_id": AGENT})
    store = Store(admin)
    for n, value in enumerate(VALUES):
        made(store.write("a", value))
        made(store.write("b", f"small {n}"))
        if not n:
            made(store.checkpoint("before"))
    made(store.write("c", "other"))
    return store


def document() -> str:
    return str(Session.with_documents.get(kind="keyed").id)


def archived() -> list[int]:
    found = Body.objects.filter(session_id=document(), codec__gt=ARCHIVED)
    return sorted(found.values_list("number", flat=True))


def objects(folder: Path) -> list[Path]:
    return sorted(one for one in folder.rglob("*") if one.is_file())


def archive(project: Project, **days: int) -> Policy:
    """Have what is old moved; forget what this process had decoded before."""
    policy = enabled(project, **(days or {"archive_days": 7}))
    swept(now=timezone.now() + LATER)
    bodies.cache.forget(document())
    return policy


def verified() -> str:
    out = StringIO()
    try:
        call_command("verify", stdout=out, stderr=out)
    except CommandError as error:
        return f"{out.getvalue()} {error}"
    return out.getvalue()


def refuse_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the store answer nobody from now on."""

    def refuse(self: Objects, *args: Any, **more: Any) -> Any:
        raise ObjectsAway("nobody answers")

    for name in ("create", "get", "range", "size", "sizes", "delete"):
        monkeypatch.setattr(Objects, name, refuse)


def test_a_large_value_that_nobody_has_to_see_moves_and_reads_as_before(
    store: Store, project: Project, folder: Path
) -> None:
    archive(project)

    assert archived() == [3]
    assert len(objects(folder)) == 1
    assert store.read("a", at=4).body["value"] == VALUES[1]
    shown = [one["value"] for one in made(store.versions("a"))["data"]]
    assert shown == VALUES[::-1]
    (first, _) = made(store.listed(full="true", at=3))["data"]
    assert first["value"] == VALUES[1]
    assert "All of it holds." in verified()


def test_a_preview_counts_what_moves_and_writes_no_object(
    store: Store, project: Project, folder: Path
) -> None:
    policy = enabled(project, archive_days=7)
    later = timezone.now() + LATER
    asked = retention.ask_preview(act=act_in(project, now=later), policy_id=policy.id)
    with acting_as(Role.RETENTION):
        count_previews(now=later)
    preview = Counts.of(Removal.objects.get(id=asked.id).counts)
    assert not objects(folder)
    assert not archived()
    swept(now=later)

    assert preview.listed() == Counts.of(taken(policy).counts).listed()
    (count,) = preview.listed()
    assert (count["step"], count["documents"], count["versions"]) == ("archive", 1, 1)
    swept(now=later)
    assert Removal.objects.removals().count() == 1


def test_while_the_store_is_away_what_stands_and_checkpoints_are_read_and_restored(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkpoint,) = made(store.client.get(store.checkpoints))["data"]
    archive(project)
    refuse_all(monkeypatch)

    refused = store.read("a", at=4)
    assert (refused.status, refused.code) == (503, "service_unavailable")
    assert refused.headers["Retry-After"]
    assert store.versions("a").status == 503
    assert store.read("a").body["value"] == VALUES[2]
    assert store.read("a", at=1).body["value"] == VALUES[0]
    assert made(store.restore(checkpoint))["verified"] is True
    assert store.read("a").body["value"] == VALUES[0]
    made(store.write("a", "after"))


def test_what_a_policy_empties_goes_from_its_object_and_the_rest_is_archived_anew(
    store: Store, project: Project, folder: Path
) -> None:
    made(store.write("a", "fourth"))
    made(store.write("c", "more"))
    policy = archive(project)
    assert archived() == [3, 5]
    before = objects(folder)
    retention.disable_policy(act=act_in(project), policy_id=policy.id)
    # Of the two the older one alone is old enough.
    both = enabled(project, archive_days=7, empty_days=7, keep_last=4)
    swept(now=timezone.now() + LATER)
    bodies.cache.forget(document())

    assert archived() == []
    assert not set(before) & set(objects(folder))
    assert store.read("a", at=4).code == "contents_erased"
    assert store.read("a", at=6).body["value"] == VALUES[2]
    assert Counts.of(taken(both).counts).steps.keys() == {"empty"}
    assert "All of it holds." in verified()

    retention.disable_policy(act=act_in(project), policy_id=both.id)
    archive(project)
    assert archived() == [5]
    assert "All of it holds." in verified()


def test_what_is_emptied_is_not_archived_before(
    store: Store, project: Project, folder: Path
) -> None:
    policy = archive(project, archive_days=7, empty_days=7)

    assert Counts.of(taken(policy).counts).steps.keys() == {"empty"}
    assert not objects(folder)


def test_under_a_legal_hold_nothing_is_moved(
    store: Store, project: Project, folder: Path
) -> None:
    act = act_in(project)
    retention.set_legal_hold(act=act, kind=HoldKind.AGENT, value=AGENT, reason="x")
    policy = archive(project)

    assert not objects(folder)
    assert not Removal.objects.removals().of_policy(policy.id).exists()
    with acting_as(Role.RETENTION):
        gone = operations.archive_entries(
            document_id=document(), first=0, last=6, shown_from=6
        )
    assert gone.outcome is Went.HELD
    assert not objects(folder)


def test_a_value_that_comes_back_while_it_is_written_stays_and_leaves_no_object(
    store: Store, project: Project, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = Objects.create

    def and_somebody_restores(self: Objects, name: str, data: bytes) -> None:
        create(self, name, data)
        with acting_as(Role.WEB):
            bring_back(project, 3)

    monkeypatch.setattr(Objects, "create", and_somebody_restores)
    with acting_as(Role.RETENTION):
        gone = operations.archive_entries(
            document_id=document(), first=0, last=6, shown_from=6
        )
    assert gone.outcome is Went.PINNED
    assert not archived()
    assert not objects(folder)
    assert store.read("a").body["value"] == VALUES[1]
    assert "All of it holds." in verified()


def test_what_is_brought_back_from_an_archive_needs_it_until_it_is_written_anew(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(project)
    bring_back(project, 3)
    assert store.read("a").body["value"] == VALUES[1]
    assert "All of it holds." in verified()
    bodies.cache.forget(document())
    refuse_all(monkeypatch)

    assert store.read("a").status == 503
    assert store.read("b").body["value"] == "small 0"
    made(store.write("a", "after"))
    assert store.read("a").body["value"] == "after"


def test_an_object_that_is_gone_is_named_by_its_version(
    store: Store, project: Project, folder: Path
) -> None:
    archive(project)
    (one,) = objects(folder)
    one.unlink()

    assert "v3 (body): its body: There is no object archives/" in verified()


def test_what_a_memory_said_is_read_from_its_archive(
    admin: Api, project: Project, folder: Path
) -> None:
    mind = Mind(admin)
    id = str(mind.add(VALUES[0], user_id="ada")["id"])
    for content in (VALUES[1], VALUES[2]):
        done(mind.patch(id, content=content))
    mind.add("Lives in Rome", user_id="ada")
    archive(project)

    assert objects(folder)
    newest, *older = mind.versions(id)
    said = [one["memory"]["content"] for one in (newest, *older)]
    assert said[0] == VALUES[2]
    assert set(said) == set(VALUES)
    assert "All of it holds." in verified()


def bring_back(project: Project, target: int) -> None:
    """Restore a version that no checkpoint points to."""
    agent = Agent.objects.of_project(project.id).named(AGENT).get()
    told = Told(
        operation=Operation.CHECKPOINT_RESTORE,
        resource_type="checkpoint",
        resource_id="",
    )
    restore_document(
        act=act_in(project, digest=b"bring back"),
        document=Document.of_agent(project, agent.id),
        wanted=Restoration(target=target, config=False, data=True),
        told=told,
    )
