"""Writes of agents' data that are sent again, with an idempotency key and without."""

from typing import Any

from apps.accounts.models import Scope, StoredAnswer
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

    # Also what was blocked: it is not judged anew, nor recorded once more.
    assert again == first
    assert [one["version"] for one in again["results"]] == [1, None, 2]
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
    assert again["results"][2]["audit_id"] == first["results"][2]["audit_id"]
    assert "when it was first sent" in again["results"][2]["message"]
    assert store.keys() == ["a", "b"]


MAIL = "ann@example.com"


def test_a_write_with_a_key_is_not_judged_by_a_later_config(store: Store) -> None:
    path, body = f"{store.path}/data", {"key": "a", "value": MAIL}
    first = store.client.post(path, body, Idempotency_Key="k")
    made(store.policies(block_pii=True))
    before = recorded()

    again = store.client.post(path, body, Idempotency_Key="k")
    # And where the answer is gone: the version has the key as well.
    StoredAnswer.objects.all().delete()
    later = store.client.post(path, body, Idempotency_Key="k")

    assert made(again) == made(later) == made(first)
    assert made(first)["allowed"]
    assert recorded() == before
    assert not made(store.write("b", MAIL))["allowed"]


def test_a_write_without_a_key_is_not_judged_by_a_later_floor(
    store: Store, api: Any, make_key: Any
) -> None:
    admin = api(make_key(Scope.ADMIN))
    first = made(store.write("a", MAIL))
    made(admin.put("/v1/project/policies", {"policies": {"block_pii": True}}))
    before = recorded()

    again = made(store.write("a", MAIL))

    assert again == first
    assert recorded() == before
    assert not made(store.write("b", MAIL))["allowed"]


def test_a_batch_is_answered_as_it_was_decided_about(store: Store) -> None:
    made(store.policies(block_pii=True, denied_key_prefixes=["tmp:"]))
    entries = [
        {"key": "a", "value": MAIL},
        {"key": "a", "value": "1"},
        {"key": "tmp:1", "value": "2"},
        {"key": "a", "value": "1"},
    ]
    first = made(store.batch(entries, Idempotency_Key="k"))
    assert [one["allowed"] for one in first["results"]] == [False, True, False, True]
    # Both ways round: what was blocked is not now, and what was stored is.
    made(store.policies(custom_blocked_patterns=[{"name": "one", "regex": "^1$"}]))
    StoredAnswer.objects.all().delete()
    before = recorded()

    again = made(store.batch(entries, Idempotency_Key="k"))

    assert again == first
    assert recorded() == before
    assert len(made(store.versions("a"))["data"]) == 2


def test_a_write_that_passed_by_an_exception_says_so_when_it_is_sent_again(
    store: Store, api: Any, make_key: Any
) -> None:
    made(store.policies(block_pii=True))
    admin = store.as_seen_by(api(make_key(Scope.ADMIN)))
    refused = made(store.write("a", MAIL))
    said = {"audit_id": refused["audit_id"], "reason": "It is our own helpdesk's."}
    exception = made(admin.client.post(f"{store.path}/exceptions", said))
    first = made(store.write("a", MAIL))
    made(admin.client.delete(f"{store.path}/exceptions/{exception['id']}"))

    again = made(store.write("a", MAIL))

    assert again == first
    assert again["exceptions"] == [exception["id"]]
    assert not made(store.write("b", MAIL))["allowed"]


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
