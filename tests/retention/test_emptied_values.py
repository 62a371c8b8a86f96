"""What was emptied of a keyed document, as readers, holds and verify have it."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.accounts.models import Project
from apps.accounts.operations import forget_answers
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.retention import operations as retention
from apps.retention.counts import Counts
from apps.retention.models import Removal
from apps.retention.sweeping import count_previews
from apps.retention.words import HoldKind
from apps.timeline.models import Body, Entry, Session, Tombstone, Version
from tests.acting import acting_as, erasing, past_triggers, tampering
from tests.acts import act_in
from tests.conftest import Api
from tests.data.conftest import AGENT, Store, made
from tests.memory.conftest import Mind, done
from tests.retention.aged import enabled, previewed, swept, taken

pytestmark = pytest.mark.django_db
LATER = timedelta(days=400)


@pytest.fixture
def store(admin: Api) -> Store:
    """Three values of one key, of which the second is to go: v1, v2 and v3."""
    admin.post("/v1/agents", {"name": AGENT, "external_id": AGENT})
    store = Store(admin)
    made(store.write("a", "first"))
    made(store.checkpoint("before"))
    made(store.write("a", "second", reasoning="because"))
    made(store.write("a", "third"))
    made(store.write("b", "other"))
    return store


def emptied(project: Project, **days: int) -> Removal:
    policy = enabled(project, **(days or {"empty_days": 7}))
    swept(now=timezone.now() + LATER)
    return taken(policy)


def document() -> Session:
    return Session.with_documents.get(kind="keyed")


def verified() -> str:
    out = StringIO()
    try:
        call_command("verify", stdout=out, stderr=out)
    except CommandError as error:
        return f"{out.getvalue()} {error}"
    return out.getvalue()


def test_the_value_is_answered_as_gone_where_it_stood_and_nowhere_else(
    store: Store, project: Project
) -> None:
    emptied(project)

    gone = store.read("a", at=2)
    assert (gone.status, gone.code) == (410, "contents_erased")
    assert gone.body["error"]["version"] == 2
    assert gone.body["error"]["tombstone"]["kind"] == "emptied"
    assert document().id.encode() not in gone.content
    assert [store.read("a", at=at).body["value"] for at in (1, 3, 4)] == [
        *("first", "third", "third")
    ]
    (listed,) = made(store.listed(full="true", at=2))["data"]
    assert (listed["value"], listed["contents_erased"]) == (None, True)
    (there,) = made(store.listed(full="true", at=1))["data"]
    assert there["value"] == "first"
    assert "contents_erased" not in there
    newest, second, first = made(store.versions("a"))["data"]
    assert (second["value"], second["metadata"], second["reasoning"]) == (None,) * 3
    assert (second["size"], second["cause"]) == (6, "set")
    assert [one["contents_erased"] for one in (newest, second, first)] == [
        *(False, True, False)
    ]


def test_nothing_of_it_is_left_in_the_tables(store: Store, project: Project) -> None:
    emptied(project)

    about = {"session_id": document().id, "number": 2}
    assert bytes(Body.objects.get(**about).data) == b""
    version = Version.objects.get(**about)
    assert (bytes(version.salt), version.reasoning) == (b"", None)
    assert Entry.objects.get(**about).key == "a"
    assert document().thinned_below is None


def test_a_preview_counts_what_the_sweep_takes(store: Store, project: Project) -> None:
    policy = enabled(project, empty_days=1)
    later = timezone.now() + LATER
    asked = retention.ask_preview(act=act_in(project, now=later), policy_id=policy.id)
    with acting_as(Role.RETENTION):
        count_previews(now=later)
    preview = Counts.of(Removal.objects.get(id=asked.id).counts)
    swept(now=later)

    assert preview.listed() == Counts.of(taken(policy).counts).listed()
    (count,) = preview.listed()
    assert (count["documents"], count["versions"], count["sessions"]) == (1, 1, 0)
    assert (preview.seen, preview.documents_seen) == (0, 1)


def test_a_second_sweep_takes_nothing(store: Store, project: Project) -> None:
    removal = emptied(project)
    assert Counts.of(removal.counts).steps.keys() == {"empty"}
    swept(now=timezone.now() + LATER)

    assert Removal.objects.removals().count() == 1
    assert Tombstone.objects.count() == 1
    assert "All of it holds." in verified()


def test_what_is_not_old_enough_or_among_the_newest_stays(
    store: Store, project: Project
) -> None:
    policy = enabled(project, empty_days=7, keep_last=4)
    swept(now=timezone.now() + LATER)
    enabled(project, empty_days=7)
    swept()
    assert not Removal.objects.removals().exists()

    retention.disable_policy(act=act_in(project), policy_id=policy.id)
    emptied(project, empty_days=7)
    assert Removal.objects.removals().count() == 1


@pytest.mark.parametrize(
    ("keep_last", "left"),
    [(1, ["third", None, None]), (2, ["third", "second", None])],
)
def test_a_value_that_the_newest_version_replaced_goes_unless_more_are_kept(
    admin: Api, project: Project, keep_last: int, left: list[str | None]
) -> None:
    admin.post("/v1/agents", {"name": AGENT, "external_id": AGENT})
    store = Store(admin)
    for value in ("first", "second", "third"):
        made(store.write("a", value))
    emptied(project, empty_days=7, keep_last=keep_last)

    assert [one["value"] for one in made(store.versions("a"))["data"]] == left
    assert "All of it holds." in verified()


def test_what_was_deleted_last_is_not_read_for_ever(
    admin: Api, project: Project
) -> None:
    """Nobody writes anything after it, and its time is over all the same."""
    mind = Mind(admin)
    id = str(mind.add("Lives in Rome", user_id="ada")["id"])
    assert mind.delete(id).status == 204
    emptied(project)

    deleted, added = mind.versions(id)
    assert (deleted["cause"], added["memory"]) == ("removed", None)
    assert "All of it holds." in verified()


def test_a_value_that_was_brought_back_stays_as_long_as_it_is_seen(
    store: Store, project: Project
) -> None:
    (checkpoint,) = made(store.client.get(store.checkpoints))["data"]
    made(store.restore(checkpoint))
    made(store.client.delete(f"{store.checkpoints}/{checkpoint['id']}"))
    made(store.write("c", "more"))
    emptied(project)

    assert store.read("a").body["value"] == "first"
    assert store.read("a", at=2).code == "contents_erased"
    made(store.write("a", "fifth"))
    made(store.write("c", "still more"))
    swept(now=timezone.now() + LATER)
    assert store.read("a", at=1).code == "contents_erased"
    assert store.read("a", at=5).code == "contents_erased"
    assert "All of it holds." in verified()


def test_a_checkpoint_that_is_deleted_keeps_nothing_any_more(
    store: Store, project: Project
) -> None:
    (checkpoint,) = made(store.client.get(store.checkpoints))["data"]
    made(store.client.delete(f"{store.checkpoints}/{checkpoint['id']}"))
    emptied(project)

    assert [one["value"] for one in made(store.versions("a"))["data"]] == [
        *("third", None, None)
    ]
    assert "All of it holds." in verified()


def test_a_checkpoint_is_restored_and_compared_as_before(
    store: Store, project: Project
) -> None:
    after = made(store.checkpoint("after"))
    (_, before) = made(store.client.get(store.checkpoints))["data"]
    emptied(project)

    assert made(store.compare(before, after))["changed"] == ["a"]
    assert made(store.restore(before))["verified"] is True
    assert store.values() == {"a": "first"}
    assert "All of it holds." in verified()


def test_a_write_that_is_sent_again_after_its_value_went_is_told_so(
    store: Store, project: Project
) -> None:
    body = {"key": "a", "value": "fourth"}
    key = {"Idempotency-Key": "k1"}
    made(store.client.post(f"{store.path}/data", body, **key))
    made(store.write("a", "fifth"))
    made(store.write("b", "more"))
    emptied(project)
    first = made(store.client.post(f"{store.path}/data", body, **key))
    assert first["number"] == 5

    with acting_as(Role.WORKER):
        forget_answers(actor=SYSTEM, now=timezone.now() + LATER)
    again = store.client.post(f"{store.path}/data", body, **key)
    assert (again.status, again.code) == (410, "contents_erased")
    assert store.read("a").body["value"] == "fifth"


def test_a_config_is_never_emptied(store: Store, project: Project) -> None:
    for n in (1, 2, 3):
        made(store.configure({"n": n}))
    made(store.write("b", "more"))
    emptied(project)

    path = f"{store.path}/config/versions"
    assert [made(store.client.get(f"{path}/v{n}"))["config"] for n in (1, 2, 3)] == [
        {"n": n} for n in (1, 2, 3)
    ]


def test_another_agent_s_policy_and_another_project_s_take_nothing(
    store: Store, project: Project, admin: Api
) -> None:
    admin.post("/v1/agents", {"name": "x", "external_id": "other"})
    enabled(project, agent="other", empty_days=7)
    swept(now=timezone.now() + LATER)
    assert not Removal.objects.removals().exists()

    enabled(project, agent=AGENT, empty_days=7)
    swept(now=timezone.now() + LATER)
    assert Removal.objects.removals().count() == 1


@pytest.mark.parametrize("kind", [HoldKind.AGENT, HoldKind.PROJECT])
def test_a_legal_hold_keeps_old_values_until_it_ends(
    store: Store, project: Project, kind: HoldKind
) -> None:
    policy = enabled(project, empty_days=7)
    act, value = act_in(project), AGENT if kind == HoldKind.AGENT else None
    held = retention.set_legal_hold(act=act, kind=kind, value=value, reason="x")
    swept(now=timezone.now() + LATER)
    assert [one["value"] for one in made(store.versions("a"))["data"]] == [
        *("third", "second", "first")
    ]
    preview = Counts.of(previewed(project, policy).counts)
    assert (preview.held, preview.documents_held) == (0, 0)

    retention.end_legal_hold(act=act, hold_id=held.id, reason="over")
    swept(now=timezone.now() + LATER)
    assert store.read("a", at=2).code == "contents_erased"


def remembered(mind: Mind, **about: Any) -> str:
    """Have something remembered and changed twice; return its id."""
    memory = mind.add("Likes tea", **about)
    id = str(memory["id"])
    for content in ("Likes coffee", "Likes water"):
        done(mind.patch(id, content=content))
    mind.add("Lives in Rome", **about)
    return id


def test_what_a_memory_said_before_goes_and_is_told_as_gone(
    admin: Api, project: Project
) -> None:
    mind = Mind(admin)
    id = remembered(mind, user_id="ada")
    emptied(project)

    newest, *older = mind.versions(id)
    assert newest["memory"]["content"] == "Likes water"
    assert [(one["memory"], one["contents_erased"]) for one in older] == [
        (None, True)
    ] * len(older)
    assert done(mind.read(id))["content"] == "Likes water"
    assert "All of it holds." in verified()


def test_memories_are_not_stepped_back_to_what_was_erased(
    admin: Api, project: Project
) -> None:
    mind = Mind(admin)
    id = remembered(mind, user_id="ada")
    body = {"user_id": "ada", "version": 1}
    emptied(project)

    for more in ({}, {"dry_run": True}):
        refused = admin.post("/v1/memories/rollback", body | more)
        assert (refused.status, refused.code) == (409, "contents_erased")
    assert done(mind.read(id))["content"] == "Likes water"
    assert "All of it holds." in verified()


@pytest.mark.parametrize("kind", [HoldKind.USER, HoldKind.SESSION, HoldKind.AGENT])
def test_a_hold_of_whom_memories_are_keeps_what_they_said(
    admin: Api, project: Project, kind: HoldKind
) -> None:
    mind = Mind(admin)
    session = mind.session(user="ada", agent="travel")
    mine = remembered(mind, session_id=session)
    other = remembered(mind, user_id="ben")
    values = {
        HoldKind.USER: "ada",
        HoldKind.SESSION: session,
        HoldKind.AGENT: "travel",
    }
    act = act_in(project)
    retention.set_legal_hold(act=act, kind=kind, value=values[kind], reason="x")
    removal = emptied(project)

    assert not any(one["contents_erased"] for one in mind.versions(mine))
    assert any(one["contents_erased"] for one in mind.versions(other))
    assert Counts.of(removal.counts).documents_held == 1


# -- what verify finds


def test_a_value_that_somebody_emptied_without_a_removal_is_named(
    store: Store, project: Project
) -> None:
    about = {"session_id": document().id, "number": 2}
    with erasing():
        Body.objects.filter(**about).update(data=b"", codec=0, size=0, salt=b"")
        Version.objects.filter(**about).update(salt=b"", reasoning=None)

    assert "v2 (text): its reasoning is not what was digested" in verified()


def test_an_entry_of_what_was_emptied_that_is_not_its_own_is_named(
    store: Store, project: Project
) -> None:
    emptied(project)
    about = {"session_id": document().id, "number": 2}
    with tampering("timeline_entry"):
        Entry.objects.filter(**about).update(size=7)

    assert "v2 (derived): its entries do not follow from what it did" in verified()


def test_what_was_emptied_and_holds_something_is_named(
    store: Store, project: Project
) -> None:
    emptied(project)
    about = {"session_id": document().id, "number": 2}
    with erasing():
        Body.objects.filter(**about).update(data=b"again")

    assert "v2 (body): its body: it was emptied, and holds something" in verified()


def test_a_tombstone_that_is_gone_is_named(store: Store, project: Project) -> None:
    emptied(project)
    with past_triggers():
        Tombstone.objects.all().delete()

    assert "v2 (number): the tombstone of its removal is missing" in verified()
