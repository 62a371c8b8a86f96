"""Writing to a keyed document: values, removals, restores, expiry and what refuses."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.audit import operations as audit
from apps.audit.models import AuditRecord
from apps.core.actors import Actor, ActorKind
from apps.core.errors import IdempotencyKeyReused
from apps.timeline import queries
from apps.timeline.errors import (
    ConfigChanged,
    DocumentMoved,
    DocumentNotFound,
    EntryChanged,
    KeyNotFound,
    NoRoom,
    RestoreTooLarge,
    VersionNotFound,
)
from tests.timeline.documents.keeping import Keeper, new_entry

pytestmark = pytest.mark.django_db
AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_1")


def test_what_was_written_is_read(keeper: Keeper) -> None:
    first = keeper.put("user:1", "anna")
    second = keeper.put("user:1", "berta")

    assert (first.number, second.number) == (1, 2)
    assert (first.ordinals, second.ordinals) == ((1,), (2,))
    assert keeper.values() == {"user:1": "berta"}
    assert keeper.values_at(1) == {"user:1": "anna"}
    assert keeper.values_at(0) == {}


def test_a_batch_is_a_version_for_each_entry_in_order(keeper: Keeper) -> None:
    written = keeper.put_all(
        [new_entry("a", "1"), new_entry("b", "2"), new_entry("a", "3")]
    )

    assert (written.first_number, written.number) == (1, 3)
    assert written.ordinals == (1, 1, 2)
    assert keeper.values() == {"a": "3", "b": "2"}
    assert keeper.values_at(2) == {"a": "1", "b": "2"}
    assert (keeper.standing().keys, keeper.standing().bytes) == (2, 2)


def test_a_removed_key_is_absent_from_then_on(keeper: Keeper) -> None:
    keeper.put("a")
    keeper.remove("a")

    assert keeper.values() == {}
    assert keeper.values_at(1) == {"a": "v"}
    with pytest.raises(KeyNotFound):
        keeper.remove("a")
    assert keeper.put("a").ordinals == (3,)
    assert (keeper.standing().keys, keeper.standing().bytes) == (1, 1)


def test_to_remove_a_key_leaves_its_neighbours(keeper: Keeper) -> None:
    for key in ("a", "a\x01", "a ", "ab", "b"):
        keeper.put(key)

    keeper.remove("a")

    assert list(keeper.values()) == ["a\x01", "a ", "ab", "b"]


def test_a_prefix_takes_all_that_begins_so_but_not_the_config(keeper: Keeper) -> None:
    keeper.configure(model="m")
    for key in ("user:1", "user:2", "user;", "use", "user\U0010ffff"):
        keeper.put(key)

    assert keeper.remove_prefix("user:") == 2
    assert keeper.remove_prefix("user:") == 0
    assert keeper.remove_prefix("user") == 2
    assert list(keeper.values()) == ["use"]
    assert keeper.config() == {"model": "m"}


def test_of_a_document_that_is_not_there_nothing_is_removed(keeper: Keeper) -> None:
    assert keeper.remove_prefix("a") == 0
    with pytest.raises(KeyNotFound):
        keeper.remove("a")
    with pytest.raises(DocumentNotFound):
        keeper.restore(0)
    assert keeper.standing() is None


def test_a_restore_sets_what_was_and_removes_what_was_not(keeper: Keeper) -> None:
    keeper.configure(model="old")
    keeper.put("kept", "1")
    keeper.put("changed", "1")
    target = keeper.put("lost", "1").number
    keeper.configure(model="new")
    keeper.put("changed", "2")
    keeper.remove("lost")
    keeper.put("added", "2")
    keeper.put("back", "2")
    keeper.remove("back")

    restored = keeper.restore(target)

    assert keeper.values() == {"kept": "1", "changed": "1", "lost": "1"}
    assert keeper.config() == {"model": "old"}
    assert (restored.changed, restored.removed, restored.lapsed) == (2, 1, 0)
    assert restored.is_config_changed
    assert keeper.standing().keys == 3
    assert keeper.standing().config_ordinal == 3


@pytest.mark.parametrize(("config", "data"), [(True, False), (False, True)])
def test_a_restore_takes_the_parts_that_are_named(
    keeper: Keeper, config: bool, data: bool
) -> None:
    keeper.configure(model="old")
    target = keeper.put("a", "old").number
    keeper.configure(model="new")
    keeper.put("a", "new")

    keeper.restore(target, config=config, data=data)

    assert keeper.values() == {"a": "old" if data else "new"}
    assert keeper.config() == {"model": "old" if config else "new"}


def test_what_has_expired_since_is_not_restored(keeper: Keeper) -> None:
    keeper.ago = timedelta(days=-2)
    soon = timezone.now() - timedelta(days=1)
    target = keeper.put("lapsing", expires_at=soon).number
    keeper.remove("lapsing")
    keeper.put("a")
    keeper.ago = timedelta(0)

    restored = keeper.restore(target)

    assert (restored.changed, restored.removed, restored.lapsed) == (0, 1, 1)
    assert keeper.values() == {}


def test_an_expired_key_is_absent_before_and_after_it_is_swept(keeper: Keeper) -> None:
    keeper.ago = timedelta(days=-2)
    keeper.put("a", "1", expires_at=timezone.now() - timedelta(days=1))
    keeper.put("b", "1")
    keeper.ago = timedelta(0)

    assert keeper.values() == {"b": "1"}
    assert keeper.standing().keys == 1
    with pytest.raises(KeyNotFound):
        keeper.remove("a")

    assert keeper.expire() == 1
    assert keeper.expire() == 0
    assert keeper.values() == {"b": "1"}
    assert keeper.standing().keys == 1
    (last, _) = queries.history(keeper.document.id, "a", before=None, limit=2)
    assert (last.cause, last.body_number) == ("expired", None)


def test_a_key_is_written_only_where_it_is_what_the_writer_saw(keeper: Keeper) -> None:
    keeper.put("a", "1", expected=0)
    keeper.put("a", "2", expected=1)
    for wrong in (0, 1, 3):
        with pytest.raises(EntryChanged) as refused:
            keeper.put_all([new_entry("b", "1"), new_entry("a", "3", expected=wrong)])
        assert refused.value.details["entries"] == [1]
    assert keeper.values() == {"a": "2"}


def test_entries_are_written_under_the_config_they_were_checked_against(
    keeper: Keeper,
) -> None:
    keeper.put_all([new_entry("a", "1")], config=0)
    number = keeper.configure(model="m").number
    with pytest.raises(ConfigChanged):
        keeper.put_all([new_entry("a", "2")], config=0)
    keeper.put_all([new_entry("a", "2")], config=number)
    assert keeper.values() == {"a": "2"}


def test_no_more_keys_than_are_allowed(keeper: Keeper) -> None:
    keeper.ago = timedelta(days=-2)
    keeper.put("old", expires_at=timezone.now() - timedelta(days=1))
    keeper.ago = timedelta(0)
    keeper.put("a")
    entries = [new_entry(key, "v") for key in ("b", "a", "c", "b", "d", "c")]

    with pytest.raises(NoRoom) as refused:
        keeper.put_all(entries, most_keys=2)

    # What has expired makes room for one; what is there already may be written again.
    assert refused.value.details["entries"] == [2, 4, 5]
    keeper.put_all([entries[0], entries[1], entries[3]], most_keys=2)
    assert set(keeper.values()) == {"a", "b"}


def test_a_restore_is_refused_when_something_was_written_since(keeper: Keeper) -> None:
    keeper.put("a")
    keeper.put("b")
    with pytest.raises(DocumentMoved) as refused:
        keeper.restore(0, expected=1)
    assert refused.value.details["head"] == 2
    with pytest.raises(VersionNotFound):
        keeper.restore(3)
    with pytest.raises(RestoreTooLarge):
        keeper.restore(0, most=1)
    assert set(keeper.values()) == {"a", "b"}
    keeper.restore(0, expected=2, most=2)
    assert keeper.values() == {}


def test_a_request_that_is_repeated_is_stored_once(keeper: Keeper) -> None:
    act = keeper.act(key="once")
    first = keeper.put_all([new_entry("a", "1"), new_entry("b", "1")], act=act)
    keeper.put("a", "2")
    again = keeper.put_all([new_entry("a", "1"), new_entry("b", "1")], act=act)

    assert again.is_replay
    assert (again.first_number, again.number) == (first.first_number, first.number)
    assert keeper.values() == {"a": "2", "b": "1"}
    with pytest.raises(IdempotencyKeyReused):
        keeper.put_all([new_entry("a", "1")], act=keeper.act(key="once"))


def test_the_heads_own_act_sent_again_without_a_key_is_stored_once(
    keeper: Keeper,
) -> None:
    digest = b"d" * 32
    first = keeper.put_all([new_entry("a", "1")], act=keeper.act(digest=digest))
    again = keeper.put_all([new_entry("a", "1")], act=keeper.act(digest=digest))
    assert (again.is_replay, again.number) == (True, first.number)

    keeper.put("b")
    later = keeper.put_all([new_entry("a", "1")], act=keeper.act(digest=digest))
    assert (later.is_replay, later.number) == (False, 3)


def test_a_restore_sent_again_answers_its_counts_again(keeper: Keeper) -> None:
    keeper.put("a", "1")
    keeper.put("b", "1")
    act = keeper.act(key="restore")
    first = keeper.restore(1, act=act)
    keeper.put("c")
    again = keeper.restore(1, act=act)

    assert again.is_replay
    assert (again.changed, again.removed) == (first.changed, first.removed) == (0, 1)


def test_every_act_is_a_record_in_the_agents_chain(keeper: Keeper) -> None:
    keeper.actor = AGENT
    keeper.configure(model="m")
    keeper.put_all([new_entry("a", "1"), new_entry("b", "1")])
    keeper.remove("a")
    keeper.restore(2)

    records = AuditRecord.objects.filter(
        stream_id=keeper.document.stream_id, version__isnull=False
    ).order_by("number")
    assert [(record.action, record.version) for record in records] == [
        ("config.update", 1),
        ("data.write", 2),
        ("data.write", 3),
        ("data.delete", 4),
        ("checkpoint.restore", 5),
    ]
    assert audit.verify_records(stream_id=keeper.document.stream_id).is_intact
