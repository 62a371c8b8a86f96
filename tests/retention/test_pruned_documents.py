"""What was pruned of a keyed document, as readers, holds and verify have it."""

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
from apps.data import operations as data
from apps.data.operations import restoring
from apps.retention import operations as retention
from apps.retention.counts import Counts
from apps.retention.models import Removal
from apps.retention.sweeping import count_previews
from apps.retention.words import HoldKind
from apps.timeline.management.commands import verify
from apps.timeline.management.signed import session_ids
from apps.timeline.models import (
    Body,
    Entry,
    KeyHead,
    Session,
    Tally,
    Tombstone,
    Version,
)
from apps.timeline.verification import verify_session
from apps.timeline.verification.documents import walk
from tests.acting import acting_as, past_triggers, tampering
from tests.acts import act_in
from tests.conftest import Api
from tests.data.conftest import AGENT, Store, made
from tests.memory.conftest import Mind, done
from tests.retention.aged import enabled, swept, taken

pytestmark = pytest.mark.django_db
LATER = timedelta(days=400)


@pytest.fixture
def store(admin: Api) -> Store:
    """Five versions of a key, of which a checkpoint shows the first.

    v1 is kept for it, v2 to v4 are to go, v5 stands, and v6 is of another key.
    """
    admin.post("/v1/agents", {"name": AGENT, "external_id": AGENT})
    store = Store(admin)
    made(store.write("a", "first"))
    made(store.checkpoint("before"))
    made(store.write("a", "second", reasoning="because"))
    made(store.delete("a"))
    made(store.write("a", "third"))
    made(store.write("a", "fourth"))
    made(store.write("b", "other"))
    return store


def pruned(project: Project, **days: int) -> Removal:
    policy = enabled(project, **(days or {"prune_days": 7}))
    swept(now=timezone.now() + LATER)
    return taken(policy)


def test_what_was_pruned_was_written_all_the_same(admin: Api, project: Project) -> None:
    admin.post("/v1/agents", {"name": AGENT, "external_id": AGENT})
    store = Store(admin)
    for value in ("first", "second", "third", "fourth"):
        made(store.write("a", value))
    asked = {"window": "30d"}

    (before,) = made(admin.get("/v1/metrics/data", asked))["data"]
    pruned(project)
    (after,) = made(admin.get("/v1/metrics/data", asked))["data"]

    assert numbers()[-2:] != [3, 4]
    assert before["writes"] == after["writes"] == 4


def document() -> Session:
    return Session.with_documents.get(kind="keyed")


def numbers() -> list[int]:
    found = Version.objects.filter(session_id=document().id).order_by("number")
    return list(found.values_list("number", flat=True))


def verified() -> str:
    out = StringIO()
    try:
        call_command("verify", stdout=out, stderr=out)
    except CommandError as error:
        return f"{out.getvalue()} {error}"
    return out.getvalue()


# -- what goes, and what stays


def test_versions_that_nobody_sees_go_with_their_entries_and_bodies(
    store: Store, project: Project
) -> None:
    removal = pruned(project)

    assert numbers() == [0, 1, 5, 6]
    about = {"session_id": document().id}
    assert sorted(Entry.objects.filter(**about).values_list("number", "key")) == [
        *((1, "a"), (5, "a"), (6, "b"))
    ]
    bodies = Body.objects.filter(**about).order_by("number")
    assert list(bodies.values_list("number", flat=True)) == [0, 1, 5, 6]
    (stone,) = Tombstone.objects.of_session(document().id)
    assert (stone.kind, stone.first_number, stone.last_number) == ("pruned", 2, 4)
    assert (stone.count, stone.shown_from) == (3, 6)
    (count,) = Counts.of(removal.counts).listed()
    assert (count["step"], count["documents"], count["versions"]) == ("prune", 1, 3)
    # Three versions, three entries and three bodies.
    assert count["rows"] == 9
    assert "All of it holds." in verified()


def test_what_stands_is_read_and_counted_as_before(
    store: Store, project: Project
) -> None:
    (head,) = KeyHead.objects.filter(key="a").values()
    (tally,) = Tally.objects.values()
    pruned(project)

    assert KeyHead.objects.filter(key="a").values().get() == head
    assert Tally.objects.values().get() == tally
    assert store.values() == {"a": "fourth", "b": "other"}
    assert made(store.read("a"))["version"] == 5
    again = made(store.write("a", "fifth", expected_version=5))
    assert again["version"] == 6
    assert "All of it holds." in verified()


def test_a_preview_counts_what_the_sweep_takes(store: Store, project: Project) -> None:
    policy = enabled(project, empty_days=1, prune_days=7)
    later = timezone.now() + LATER
    asked = retention.ask_preview(act=act_in(project, now=later), policy_id=policy.id)
    with acting_as(Role.RETENTION):
        count_previews(now=later)
    preview = Counts.of(Removal.objects.get(id=asked.id).counts)
    assert numbers() == list(range(7))
    swept(now=later)

    assert preview.listed() == Counts.of(taken(policy).counts).listed()
    assert preview.steps.keys() == {"prune"}
    swept(now=later)
    assert Removal.objects.removals().count() == 1


def test_what_was_emptied_before_goes_as_well(store: Store, project: Project) -> None:
    policy = enabled(project, empty_days=7)
    swept(now=timezone.now() + LATER)
    assert store.read("a", at=2).code == "contents_erased"
    retention.disable_policy(act=act_in(project), policy_id=policy.id)
    pruned(project)

    assert numbers() == [0, 1, 5, 6]
    assert store.read("a", at=2).code == "version_pruned"
    assert "All of it holds." in verified()


def test_what_was_brought_back_goes_after_the_restore_that_did(
    store: Store, project: Project
) -> None:
    (checkpoint,) = made(store.client.get(store.checkpoints))["data"]
    made(store.restore(checkpoint))
    made(store.client.delete(f"{store.checkpoints}/{checkpoint['id']}"))
    made(store.write("c", "more"))
    pruned(project)
    assert store.values() == {"a": "first", "c": "more"}
    assert numbers() == [0, 1, 7, 8]
    assert "All of it holds." in verified()

    for at, key in enumerate(("a", "b", "c", "c")):
        made(store.write(key, f"new {at}"))
    swept(now=timezone.now() + LATER)
    assert numbers() == [0, 1, 9, 10, 12]
    swept(now=timezone.now() + LATER)
    assert numbers() == [0, 9, 10, 12]
    assert "All of it holds." in verified()


def test_the_removal_of_a_key_stays_and_what_it_had_goes(
    store: Store, project: Project
) -> None:
    made(store.delete("a"))
    made(store.write("b", "more"))
    made(store.write("b", "still more"))
    pruned(project)

    assert numbers() == [0, 1, 7, 9]
    assert store.keys() == ["b"]
    assert store.read("a").code == "key_not_found"
    assert made(store.write("a", "anew"))["version"] == 7
    assert "All of it holds." in verified()


def test_keys_that_expired_or_went_by_a_prefix_are_told_as_gone(
    store: Store, project: Project
) -> None:
    made(store.policies(retention_by_prefix={"x/": 1}))
    for value in ("1", "2"):
        made(store.write("x/a", value))
        made(store.write("y/a", value))
    made(store.delete_prefix("y/"))
    with acting_as(Role.WORKER):
        data.expire_due(actor=SYSTEM, now=timezone.now() + timedelta(days=2))
    made(store.write("y/a", "3"))
    made(store.write("b", "more"))
    pruned(project)

    assert len(numbers()) < 10
    assert "All of it holds." in verified()
    assert made(store.versions("x/a"))["removed"][0]["count"] == 2


def test_versions_of_a_config_stay(store: Store, project: Project) -> None:
    for n in (1, 2, 3):
        made(store.configure({"n": n}))
    made(store.write("b", "more"))
    pruned(project)

    path = f"{store.path}/config/versions"
    assert [made(store.client.get(f"{path}/v{n}"))["config"] for n in (1, 2, 3)] == [
        {"n": n} for n in (1, 2, 3)
    ]
    assert made(store.roll_back("v1"))["config"] == {"n": 1}
    assert "All of it holds." in verified()


def test_a_config_that_was_rolled_back_to_stays(store: Store, project: Project) -> None:
    made(store.configure({"n": 1}))
    made(store.configure({"n": 2}))
    made(store.roll_back("v1"))
    made(store.configure({"n": 3}))
    made(store.write("b", "more"))
    pruned(project)

    path = f"{store.path}/config/versions"
    assert [
        made(store.client.get(f"{path}/v{n}"))["config"]["n"] for n in (1, 2, 3)
    ] == [*(1, 2, 1)]
    assert "All of it holds." in verified()


def test_what_a_young_version_shows_stays_though_it_is_older(
    store: Store, project: Project
) -> None:
    made(store.write("a", "fifth"))
    pruned(project, prune_days=7, keep_last=2)

    # All is to be seen at the two newest versions, of which v5 stood at the first.
    assert numbers() == [0, 1, 5, 6, 7]
    assert [made(store.read("a", at=at))["value"] for at in (6, 7)] == [
        *("fourth", "fifth")
    ]
    assert "All of it holds." in verified()


# -- readers


def test_what_stood_is_answered_as_gone_but_where_it_is_kept(
    store: Store, project: Project
) -> None:
    pruned(project)

    for at in (2, 3, 4, 5):
        for gone in (store.read("a", at=at), store.listed(at=at, full="true")):
            assert (gone.status, gone.code) == (410, "version_pruned")
            assert gone.body["error"]["version"] == at
            stone = gone.body["error"]["tombstone"]
            assert (stone["first_version"], stone["last_version"]) == (2, 4)
            assert document().id.encode() not in gone.content
    assert [store.read("a", at=at).body["value"] for at in (1, 6)] == [
        *("first", "fourth")
    ]
    assert store.keys(at=1) == ["a"]
    assert store.keys(at=6) == ["a", "b"]


def test_a_key_s_versions_say_which_of_them_went(
    store: Store, project: Project
) -> None:
    pruned(project)

    body = made(store.versions("a"))
    assert [one["version"] for one in body["data"]] == [5, 1]
    (stone,) = body["removed"]
    assert (stone["kind"], stone["count"]) == ("pruned", 3)
    assert (stone["first_version"], stone["last_version"]) == (2, 4)
    assert stone["reason"] == "policy"
    first, second = (
        made(store.versions("a", limit=1)),
        made(store.versions("a", limit=1, cursor="5")),
    )
    assert [len(one["removed"]) for one in (first, second)] == [1, 0]
    assert made(store.versions("b"))["removed"] == []


def test_a_checkpoint_is_restored_and_compared_as_before(
    store: Store, project: Project
) -> None:
    after = made(store.checkpoint("after"))
    (_, before) = made(store.client.get(store.checkpoints))["data"]
    pruned(project)

    assert made(store.compare(before, after))["changed"] == ["a"]
    assert made(store.compare(before, after))["added"] == ["b"]
    told = made(store.restore(before, dry_run=True))["data"]
    assert (told["set"]["keys"], told["removed"]["keys"]) == (["a"], ["b"])
    assert made(store.restore(before))["verified"] is True
    assert store.values() == {"a": "first"}
    assert "All of it holds." in verified()


def test_a_checkpoint_that_is_deleted_keeps_nothing_any_more(
    store: Store, project: Project
) -> None:
    (checkpoint,) = made(store.client.get(store.checkpoints))["data"]
    made(store.client.delete(f"{store.checkpoints}/{checkpoint['id']}"))
    pruned(project)

    assert numbers() == [0, 5, 6]
    assert store.read("a", at=1).code == "version_pruned"
    assert made(store.versions("a"))["removed"][0]["first_version"] == 1
    assert "All of it holds." in verified()


def test_a_write_that_is_sent_again_after_it_went_is_one_more(
    store: Store, project: Project
) -> None:
    batch = [{"key": "c", "value": "1"}, {"key": "d", "value": "1"}]
    key = {"Idempotency-Key": "k1"}
    made(store.batch(batch, **key))
    made(store.write("c", "2"))
    made(store.write("b", "more"))
    pruned(project)
    with acting_as(Role.WORKER):
        forget_answers(actor=SYSTEM, now=timezone.now() + LATER)

    # One of the two is not there any more, and nobody knows what was answered.
    again = store.batch(batch, **key)
    assert (again.status, again.code) == (410, "version_pruned")
    made(store.write("d", "2"))
    made(store.write("b", "still more"))
    swept(now=timezone.now() + LATER)
    again = made(store.batch(batch, **key))
    assert [one["version"] for one in again["results"]] == [3, 3]
    assert "All of it holds." in verified()


def test_a_removal_that_is_sent_again_is_not_counted_by_what_is_left(
    store: Store, project: Project
) -> None:
    for name in ("x/a", "x/b"):
        made(store.write(name, "1"))
    key = {"Idempotency-Key": "k1"}
    path = f"{store.path}/data"
    query = {"prefix": "x/"}
    removed = store.client.send("DELETE", path, headers=key, query=query)
    assert made(removed)["deleted"] == 2
    made(store.write("b", "more"))
    made(store.write("b", "still more"))
    pruned(project)
    with acting_as(Role.WORKER):
        forget_answers(actor=SYSTEM, now=timezone.now() + LATER)

    again = store.client.send("DELETE", path, headers=key, query=query)
    assert (again.status, again.code) == (410, "version_pruned")


def test_a_restore_by_steps_that_is_sent_again_after_it_went_is_told_as_gone(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restoring, "AT_ONCE", 1)
    (checkpoint,) = made(store.client.get(store.checkpoints))["data"]
    path, key = f"{store.checkpoints}/{checkpoint['id']}/restore", "k1"
    made(store.client.post(path, {}, Idempotency_Key=key))
    for value in ("1", "2"):
        made(store.batch([{"key": name, "value": value} for name in ("a", "b")]))
    pruned(project)
    with acting_as(Role.WORKER):
        forget_answers(actor=SYSTEM, now=timezone.now() + LATER)

    again = store.client.post(path, {}, Idempotency_Key=key)
    assert (again.status, again.code) == (410, "version_pruned")


def test_what_a_memory_said_goes_and_is_not_stepped_back_to(
    admin: Api, project: Project
) -> None:
    mind = Mind(admin)
    id = str(mind.add("Likes tea", user_id="ada")["id"])
    for content in ("Likes coffee", "Likes water"):
        done(mind.patch(id, content=content))
    mind.add("Lives in Rome", user_id="ada")
    pruned(project)

    body = done(admin.get(f"/v1/memories/{id}/versions"))
    assert [one["version"] for one in body["data"]] == [3]
    assert body["removed"][0]["last_version"] == 2
    wanted = {"user_id": "ada", "version": 1}
    for more in ({}, {"dry_run": True}):
        refused = admin.post("/v1/memories/rollback", wanted | more)
        assert (refused.status, refused.code) == (409, "version_pruned")
    # At that moment it had a version that is gone, not none.
    begun, last = document().created_at, Version.objects.get(number=4).created_at
    for moment, status in ((begun, 409), (last, 200)):
        to = {"user_id": "ada", "to": moment.isoformat()}
        assert admin.post("/v1/memories/rollback", to).status == status
    assert done(mind.read(id))["content"] == "Likes water"
    stepped = {"user_id": "ada", "version": 0}
    done(admin.post("/v1/memories/rollback", stepped))
    assert mind.listed(user_id="ada") == []
    assert "All of it holds." in verified()


@pytest.mark.parametrize("kind", [HoldKind.AGENT, HoldKind.PROJECT])
def test_a_legal_hold_keeps_versions_until_it_ends(
    store: Store, project: Project, kind: HoldKind
) -> None:
    enabled(project, prune_days=7)
    act, value = act_in(project), AGENT if kind == HoldKind.AGENT else None
    held = retention.set_legal_hold(act=act, kind=kind, value=value, reason="x")
    swept(now=timezone.now() + LATER)
    assert numbers() == list(range(7))

    retention.end_legal_hold(act=act, hold_id=held.id, reason="over")
    swept(now=timezone.now() + LATER)
    assert numbers() == [0, 1, 5, 6]


# -- what verify finds


def about(number: int) -> dict[str, Any]:
    return {"session_id": document().id, "number": number}


def test_a_version_that_went_without_a_removal_is_named(store: Store) -> None:
    with past_triggers():
        Version.objects.filter(**about(3)).delete()
        Body.objects.filter(**about(3)).delete()
        Entry.objects.filter(**about(3)).delete()

    assert "v4 (number): v3 is missing before it" in verified()


def test_a_tombstone_that_is_gone_is_named(store: Store, project: Project) -> None:
    pruned(project)
    with past_triggers():
        Tombstone.objects.all().delete()

    assert "v2 (number): the tombstone of its removal is missing" in verified()


@pytest.mark.parametrize(
    "forged",
    [
        {"shown_from": 4},
        {"shown_from": None},
        {"last_number": 3, "count": 2},
        {"chain_after": b"x" * 32},
        {"leaves_digest": b"x" * 32},
        {"removal_id": "rmvl_other"},
    ],
)
def test_a_tombstone_that_is_forged_is_named(
    store: Store, project: Project, forged: dict[str, Any]
) -> None:
    pruned(project)
    with past_triggers():
        Tombstone.objects.all().update(**forged)

    assert "its tombstone is not what the removal's event says" in verified()


@pytest.mark.parametrize("number", [1, 5])
def test_an_entry_that_goes_beside_what_was_pruned_is_named(
    store: Store, project: Project, number: int
) -> None:
    pruned(project)
    with past_triggers():
        Entry.objects.filter(**about(number)).delete()

    assert f"v{number} (derived): its entries do not follow" in verified()


def test_an_entry_of_what_was_pruned_is_named(store: Store, project: Project) -> None:
    pruned(project)
    with past_triggers():
        Entry.objects.create(
            **about(3), key="a", ordinal=3, body_number=1, size=5, cause="restored"
        )

    assert "v3 (number): it has entries, but no row" in verified()


@pytest.mark.parametrize("ordinal", [6, 7])
def test_a_number_that_is_skipped_beyond_what_was_pruned_is_named(
    store: Store, project: Project, ordinal: int
) -> None:
    """Between v1 and v5 three versions are gone, so the next is at most its fifth."""
    pruned(project)
    with tampering("timeline_entry"):
        Entry.objects.filter(**about(5)).update(ordinal=ordinal)
    KeyHead.objects.filter(key="a").update(ordinal=ordinal)

    assert "v5 (derived): its entry is number 2 of its key" in verified()


def test_a_restore_beside_what_was_pruned_shows_nothing_else(
    store: Store, project: Project
) -> None:
    """What stood before it is not known any more, and what it brought back is."""
    (checkpoint,) = made(store.client.get(store.checkpoints))["data"]
    made(store.restore(checkpoint))
    made(store.write("b", "more"))
    made(store.write("b", "still more"))
    pruned(project)
    assert "All of it holds." in verified()
    (brought,) = Entry.objects.filter(**about(7), key="a").values()
    assert (brought["ordinal"], brought["body_number"]) == (6, 1)

    for forged in ({"size": 6}, {"body_number": 8}, {"cause": "set"}):
        with tampering("timeline_entry"):
            Entry.objects.filter(**about(7), key="a").update(**forged)
        assert "v7 (derived): its entries do not follow" in verified()
        with tampering("timeline_entry"):
            was = {name: brought[name] for name in forged}
            Entry.objects.filter(**about(7), key="a").update(**was)
    assert "All of it holds." in verified()


def test_when_a_key_came_to_be_is_held_to_what_is_left_of_it(
    store: Store, project: Project
) -> None:
    pruned(project)
    later = timezone.now() + timedelta(days=1)
    with tampering("timeline_keyhead"):
        KeyHead.objects.filter(key="a").update(created_at=later)

    assert "the head of a key does not follow from its entries" in verified()


@pytest.mark.parametrize("chunk", [1, 3, 4])
def test_what_is_pruned_in_the_middle_of_verifying_is_not_named(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(walk, "CHUNK", chunk)
    removals: list[Removal] = []

    def told(versions: int) -> None:
        removals[:] = removals or [pruned(project)]

    report = verify_session(document().id, told=told)

    assert removals
    assert (report.first_broken, report.first_derived) == (None, None)
    assert report.versions == len(numbers())


def test_what_does_not_hold_is_named_beside_a_removal_in_its_middle(
    store: Store, project: Project
) -> None:
    later = timezone.now() + timedelta(days=1)
    with tampering("timeline_keyhead"):
        KeyHead.objects.filter(key="a").update(created_at=later)
    removals: list[Removal] = []

    def told(versions: int) -> None:
        removals[:] = removals or [pruned(project)]

    report = verify_session(document().id, told=told)

    assert removals
    assert report.first_derived is not None
    assert "the head of a key" in report.first_derived.sentence


def test_a_history_that_goes_as_a_whole_while_all_is_verified_ends_nothing(
    admin: Api, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind = Mind(admin)
    mind.add("Likes tea", user_id="ada")
    mind.session()
    enabled(project, remove_days=7)

    def listed(project_id: str) -> list[str]:
        """Remove what was listed before it is looked at."""
        ids = list(session_ids(project_id))
        swept(now=timezone.now() + LATER)
        return ids

    monkeypatch.setattr(verify, "session_ids", listed)

    assert "All of it holds." in verified()
    assert not Session.objects.exists()
