"""Restoring a checkpoint over REST, and what a restore would do."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.audit.models import AuditRecord, Event
from apps.core.actors import SYSTEM
from apps.data import operations as data
from apps.data.checkpoints import proof
from apps.data.operations import restoring
from apps.timeline.models import Body
from tests.acting import tampering
from tests.data.conftest import Store, made

COUNTS = (
    "data_keys_restored",
    "data_keys_changed",
    "data_keys_removed",
    "data_keys_expired",
)


def counts(restored: Any) -> tuple[int, ...]:
    return tuple(restored[name] for name in COUNTS)


def changed_since(store: Store) -> Any:
    """Return a checkpoint since which config and data have changed."""
    made(store.configure({"tone": "kind"}))
    made(store.batch([{"key": key, "value": "1"} for key in ("a", "b", "c")]))
    checkpoint = made(store.checkpoint("pre-import"))
    made(store.configure({"tone": "curt"}))
    made(store.write("a", "2"))
    made(store.delete("b"))
    made(store.write("d", "new"))
    return checkpoint


@pytest.fixture
def later(monkeypatch: Any) -> Any:
    """`later(days)` is when requests come in from then on."""
    begun = timezone.now()

    def at(days: float) -> Any:
        now = begun + timedelta(days=days)
        monkeypatch.setattr("apps.data.api.base.timezone.now", lambda: now)
        return now

    return at


def test_what_was_there_is_restored(store: Store) -> None:
    checkpoint = changed_since(store)

    restored = made(store.restore(checkpoint, reasoning="The import was wrong."))

    assert store.values() == {"a": "1", "b": "1", "c": "1"}
    assert made(store.config())["config"] == {"tone": "kind"}
    assert counts(restored) == (3, 2, 1, 0)
    assert (restored["config_restored"], restored["config_changed"]) == (True, True)
    assert restored["config_version"] == made(store.config())["version"] == "v3"
    assert restored["data_restored"] is True
    assert (restored["verified"], restored["verified_why"]) == (True, None)
    assert restored["restored_from"] == restored["checkpoint_id"] == checkpoint["id"]
    assert (restored["entries_restored"], restored["entries_removed"]) == (3, 1)
    assert restored["restored"] == 3
    assert restored["restore"] == {
        "checkpoint_id": checkpoint["id"],
        "entries_restored": 3,
        "entries_removed": 1,
        "restored_at": restored["restored_at"],
    }
    past = made(store.versions("b"))["data"]
    assert [one["cause"] for one in past] == ["restored", "removed", "set"]
    assert past[0]["reasoning"] == "The import was wrong."


def test_data_alone_is_restored(store: Store) -> None:
    checkpoint = changed_since(store)

    restored = made(store.restore(checkpoint, restore_config=False))

    assert store.values() == {"a": "1", "b": "1", "c": "1"}
    assert made(store.config())["config"] == {"tone": "curt"}
    assert counts(restored) == (3, 2, 1, 0)
    assert (restored["config_restored"], restored["config_version"]) == (False, "v2")
    assert (restored["config_changed"], restored["verified"]) == (False, True)


def test_config_alone_is_restored(store: Store) -> None:
    checkpoint = changed_since(store)

    restored = made(store.restore(checkpoint, restore_data=False))

    assert store.values() == {"a": "2", "c": "1", "d": "new"}
    assert made(store.config())["config"] == {"tone": "kind"}
    assert counts(restored) == (0, 0, 0, 0)
    assert (restored["config_version"], restored["data_restored"]) == ("v3", False)
    assert restored["verified"] is True


def test_neither_is_refused(store: Store) -> None:
    checkpoint = changed_since(store)

    for asked in ({}, {"dry_run": True}):
        answer = store.restore(
            checkpoint, restore_config=False, restore_data=False, **asked
        )
        assert (answer.status, answer.code) == (400, "invalid_request")


def test_a_checkpoint_of_nothing_is_restored(store: Store) -> None:
    empty = made(store.checkpoint("before anything"))
    made(store.configure({"a": 1}))
    made(store.write("k"))

    restored = made(store.restore(empty))

    assert (empty["number"], empty["config_version"]) == (0, "v0")
    assert empty["key_count"] == 0
    assert store.values() == {}
    assert made(store.config())["config"] == {}
    assert counts(restored) == (0, 0, 1, 0)
    assert (restored["config_version"], restored["verified"]) == ("v2", True)


def test_a_restore_is_restored_from(store: Store) -> None:
    first = changed_since(store)
    second = made(store.checkpoint("after import"))
    made(store.restore(first))

    restored = made(store.restore(second))

    assert store.values() == {"a": "2", "c": "1", "d": "new"}
    assert made(store.config())["config"] == {"tone": "curt"}
    assert counts(restored) == (3, 2, 1, 0)


def test_sent_again_it_gets_its_answer(store: Store) -> None:
    checkpoint = changed_since(store)

    first = made(store.restore(checkpoint))
    records = AuditRecord.objects.count()
    again = made(store.restore(checkpoint))

    assert again == first
    assert AuditRecord.objects.count() == records


def test_one_idempotency_key_is_one_restore(store: Store) -> None:
    checkpoint = changed_since(store)
    path = f"{store.checkpoints}/{checkpoint['id']}/restore"

    first = made(store.client.post(path, {}, Idempotency_Key="k"))
    made(store.write("e"))
    again = made(store.client.post(path, {}, Idempotency_Key="k"))

    assert again == first
    assert "e" in store.values()


def test_a_preview_says_what_it_would_do_and_writes_that_it_was_read(
    store: Store,
) -> None:
    checkpoint = changed_since(store)
    before = store.values(), Event.objects.count()
    records = AuditRecord.objects.count()

    preview = made(store.restore(checkpoint, dry_run=True))

    assert AuditRecord.objects.count() == records + 1
    seen = AuditRecord.objects.get(action="data.list", resource_id=checkpoint["id"])
    assert seen.details == {"against": preview["number"]}
    assert seen.version is None
    assert (store.values(), Event.objects.count()) == before
    assert preview["data"] == {
        "set": {"count": 2, "keys": ["a", "b"]},
        "removed": {"count": 1, "keys": ["d"]},
        "expired": {"count": 0, "keys": []},
    }
    config = preview["config"]
    assert [change["pointer"] for change in config["changes"]] == ["/tone"]
    assert (config["from_version"], config["to_version"]) == ("v2", "v1")
    (writer,) = preview["recent_writers"]
    assert (writer["kind"], writer["writes"]) == ("key", 8)
    number = made(store.versions("d"))["data"][0]["number"]
    assert preview["number"] == preview["expected_version"] == number


def test_what_a_preview_says_is_done(store: Store) -> None:
    checkpoint = changed_since(store)
    preview = made(store.restore(checkpoint, dry_run=True))

    restored = made(store.restore(checkpoint, expected_version=preview["number"]))

    assert restored["data_keys_changed"] == preview["data"]["set"]["count"]
    assert restored["data_keys_removed"] == preview["data"]["removed"]["count"]


def test_a_preview_of_one_part_leaves_the_other(store: Store) -> None:
    checkpoint = changed_since(store)

    of_config = made(store.restore(checkpoint, dry_run=True, restore_data=False))
    of_data = made(store.restore(checkpoint, dry_run=True, restore_config=False))

    assert of_config["data"]["set"] == {"count": 0, "keys": []}
    assert of_config["config"]["change_count"] == 1
    assert of_data["config"]["change_count"] == 0
    assert of_data["data"]["set"]["count"] == 2


def test_writes_since_the_preview_are_not_undone_unseen(store: Store) -> None:
    checkpoint = changed_since(store)
    number = made(store.restore(checkpoint, dry_run=True))["number"]
    made(store.write("e", "newer"))

    for asked in ({}, {"dry_run": True}):
        answer = store.restore(checkpoint, expected_version=number, **asked)
        assert (answer.status, answer.code) == (409, "version_conflict")
        assert answer.body["error"]["head"] == number + 1
    assert store.values()["e"] == "newer"


def test_what_has_expired_stays_absent_and_is_counted(store: Store, later: Any) -> None:
    made(store.policies(retention_by_prefix={"temp:": 1}))
    keys = ("a", "temp:kept", "temp:deleted", "temp:written")
    made(store.batch([{"key": key, "value": "1"} for key in keys]))
    checkpoint = made(store.checkpoint("first"))
    made(store.delete("temp:deleted"))
    made(store.policies())
    made(store.write("temp:written", "2"))
    later(1.5)

    preview = made(store.restore(checkpoint, dry_run=True))
    restored = made(store.restore(checkpoint))

    expired = ["temp:deleted", "temp:kept", "temp:written"]
    assert preview["data"]["expired"] == {"count": 3, "keys": expired}
    assert preview["data"]["removed"] == {"count": 1, "keys": ["temp:written"]}
    assert store.values() == {"a": "1"}
    assert counts(restored) == (1, 0, 1, 3)
    assert restored["verified"] is True


def test_it_makes_no_difference_whether_it_was_swept(store: Store, later: Any) -> None:
    made(store.policies(retention_by_prefix={"temp:": 1}))
    made(store.batch([{"key": key, "value": "1"} for key in ("a", "temp:b")]))
    checkpoint = made(store.checkpoint("first"))
    made(store.write("a", "2"))
    data.expire_due(actor=SYSTEM, now=later(1.5))

    restored = made(store.restore(checkpoint))

    assert counts(restored) == (1, 1, 0, 1)
    assert store.values() == {"a": "1"}
    assert restored["verified"] is True


def test_what_was_over_before_the_checkpoint_is_not_counted(
    store: Store, later: Any
) -> None:
    made(store.policies(retention_by_prefix={"temp:": 1}))
    made(store.batch([{"key": key, "value": "1"} for key in ("a", "temp:b")]))
    later(1.5)
    checkpoint = made(store.checkpoint("first"))
    made(store.write("temp:b", "2"))
    later(1.6)

    restored = made(store.restore(checkpoint))

    assert checkpoint["key_count"] == 1
    assert counts(restored) == (1, 0, 1, 0)


def test_what_has_expired_is_in_no_comparison(store: Store, later: Any) -> None:
    made(store.policies(retention_by_prefix={"temp:": 1}))
    first = made(store.checkpoint("first"))
    made(store.batch([{"key": key, "value": "1"} for key in ("a", "temp:b")]))
    second = made(store.checkpoint("second"))

    assert made(store.compare(first, second))["added"] == ["a", "temp:b"]
    later(1.5)
    assert made(store.compare(first, second))["added"] == ["a"]


def test_a_policy_of_days_hides_older_ones(store: Store, later: Any) -> None:
    made(store.policies(checkpoint_keep_days=1))
    old = made(store.checkpoint("old"))
    later(0.9)
    young = made(store.checkpoint("young"))
    later(1.5)

    found = made(store.client.get(store.checkpoints))["data"]

    assert [one["id"] for one in found] == [young["id"]]
    assert store.restore(old).code == "checkpoint_not_found"


def test_one_that_touches_too_much_is_refused(store: Store, monkeypatch: Any) -> None:
    checkpoint = changed_since(store)
    monkeypatch.setattr(restoring, "MOST", 3)

    for asked in ({}, {"dry_run": True}):
        answer = store.restore(checkpoint, **asked)
        assert (answer.status, answer.code) == (409, "restore_too_large")
    monkeypatch.setattr(restoring, "MOST", 4)
    assert made(store.restore(checkpoint))["verified"] is True


@pytest.mark.parametrize("name", ["MOST_KEYS", "MOST_BYTES"])
def test_what_is_too_much_to_look_at_is_not_verified(
    store: Store, monkeypatch: Any, name: str
) -> None:
    checkpoint = changed_since(store)
    monkeypatch.setattr(proof, name, 2)

    restored = made(store.restore(checkpoint))

    assert restored["verified"] is None
    assert "recomputed" in restored["verified_why"]
    assert counts(restored) == (3, 2, 1, 0)


def test_a_damaged_value_is_not_verified(store: Store) -> None:
    checkpoint = changed_since(store)
    with tampering("timeline_body"):
        Body.objects.filter(number=4).update(data=b"\0")

    restored = made(store.restore(checkpoint))

    assert restored["verified"] is False
    assert restored["verified_why"]


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ({"restore_data": "yes"}, "restore_data"),
        ({"expected_version": -1}, "expected_version"),
        ({"expected_version": "3"}, "expected_version"),
        ({"dryrun": True}, "dryrun"),
    ],
)
def test_what_is_not_understood_restores_nothing(
    store: Store, said: dict[str, Any], param: str
) -> None:
    checkpoint = changed_since(store)

    answer = store.restore(checkpoint, **said)

    assert (answer.status, answer.param) == (400, param)
    assert store.values()["d"] == "new"
