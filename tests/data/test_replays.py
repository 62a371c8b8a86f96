"""Writes of agents' data that are sent again, with an idempotency key and without."""

from typing import Any

from apps.audit.models import AuditRecord, Event
from tests.conftest import Answer
from tests.data.conftest import Store, made


def recorded() -> tuple[int, int]:
    return Event.objects.count(), AuditRecord.objects.count()


def test_a_write_sent_again_gets_its_answer(store: Store) -> None:
    first = made(store.write("a", "1", metadata={"n": 1}))
    before = recorded()

    assert made(store.write("a", "1", metadata={"n": 1})) == first
    assert recorded() == before
    assert made(store.write("a", "2"))["version"] == 2
    assert made(store.write("a", "1", metadata={"n": 1}))["version"] == 3


def test_a_batch_sent_again_gets_its_answer(store: Store) -> None:
    made(store.policies(block_pii=True))
    entries = [
        {"key": "a", "value": "1"},
        {"key": "b", "value": "ann@example.com"},
        {"key": "a", "value": "2"},
    ]

    first = made(store.batch(entries))
    again = made(store.batch(entries))

    stored = [one["audit_id"] for one in first["results"] if one["allowed"]]
    assert [one["audit_id"] for one in again["results"] if one["allowed"]] == stored
    assert [one["version"] for one in again["results"]] == [1, None, 2]
    # What a policy blocks is recorded once more, and makes no version.
    assert again["results"][1]["audit_id"] != first["results"][1]["audit_id"]
    assert len(made(store.versions("a"))["data"]) == 2


def test_a_batch_without_room_sent_again_gets_its_answer(store: Store) -> None:
    made(store.policies(max_keys_per_agent=2))
    entries = [{"key": key, "value": "v"} for key in "abc"]

    first = made(store.batch(entries))
    again = made(store.batch(entries))

    for body in (first, again):
        assert [one["allowed"] for one in body["results"]] == [True, True, False]
        assert body["results"][2]["blocked_by"] == "policy:max_keys_per_agent"
    assert again["results"][:2] == first["results"][:2]
    assert store.keys() == ["a", "b"]


def test_a_deletion_sent_again_gets_its_answer(store: Store) -> None:
    made(store.batch([{"key": key, "value": "v"} for key in ("a:1", "a:2", "b")]))

    first = made(store.delete_prefix("a:"))
    again = made(store.delete_prefix("a:"))

    assert first == again
    assert first["deleted"] == 2
    one = made(store.delete("b"))
    assert made(store.delete("b")) == one
    made(store.write("c"))
    assert store.delete("b").status == 404


def test_deletions_of_two_prefixes_are_two(store: Store) -> None:
    made(store.batch([{"key": key, "value": "v"} for key in ("a", "b", "c")]))
    path = f"{store.path}/data"

    def deleted(prefix: str, **headers: str) -> Answer:
        return store.client.send("DELETE", path, None, headers, {"prefix": prefix})

    assert made(deleted("a"))["deleted"] == 1
    assert made(deleted("b"))["deleted"] == 1
    assert made(deleted("c", Idempotency_Key="k"))["deleted"] == 1
    again = deleted("c", Idempotency_Key="k")
    assert made(again)["deleted"] == 1
    assert again.headers["Idempotent-Replayed"] == "true"
    other = deleted("d", Idempotency_Key="k")
    assert (other.status, other.code) == (422, "idempotency_key_reused")


def test_one_idempotency_key_is_one_write(store: Store) -> None:
    path, body = f"{store.path}/data", {"key": "a", "value": "1"}

    first = store.client.post(path, body, Idempotency_Key="k")
    made(store.write("a", "2"))
    again = store.client.post(path, body, Idempotency_Key="k")
    other = store.client.post(path, {**body, "value": "3"}, Idempotency_Key="k")

    assert made(again) == made(first)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (other.status, other.code) == (422, "idempotency_key_reused")
    assert made(store.at("a"))["value"] == "2"


def test_two_idempotency_keys_are_two_writes(store: Store) -> None:
    path, body = f"{store.path}/data", {"key": "a", "value": "1"}

    versions = [
        made(store.client.post(path, body, Idempotency_Key=key))["version"]
        for key in ("one", "two")
    ]

    assert versions == [1, 2]


def test_another_caller_repeats_nothing(store: Store, api: Any) -> None:
    other = store.as_seen_by(api())
    made(store.write("a", "1"))

    assert made(other.write("a", "1"))["version"] == 2


def test_a_config_sent_again_gets_its_answer(store: Store) -> None:
    first = made(store.configure({"a": 1}))
    made(store.configure({"a": 2}))
    back = made(store.roll_back("v1"))

    assert made(store.roll_back("v1")) == back
    assert back["config"] == first["config"]
    listed = made(store.client.get(f"{store.path}/config/versions"))
    assert [one["version"] for one in listed["data"]] == ["v3", "v2", "v1"]


def test_a_write_names_the_version_it_saw(store: Store) -> None:
    made(store.write("a", "1", expected_version=0))

    stale = store.write("a", "2", expected_version=0)
    batch = store.batch(
        [
            {"key": "b", "value": "v"},
            {"key": "a", "value": "3", "expected_version": 5},
        ]
    )

    assert (stale.status, stale.code) == (409, "version_conflict")
    assert stale.param == "expected_version"
    assert (batch.status, batch.param) == (409, "entries[1].expected_version")
    assert made(store.write("a", "2", expected_version=1))["version"] == 2
    assert store.keys() == ["a"]
