"""Checkpoints over REST: made, found, compared, deleted."""

from typing import Any

import pytest

from apps.audit.models import AuditRecord, Event
from apps.data.models import Checkpoint
from tests.conftest import Answer
from tests.data.conftest import AGENT, Store, made

NOBODY = {"id": "cp_" + "0" * 26}


def listed(store: Store, **query: Any) -> Any:
    return made(store.client.get(store.checkpoints, query))


def detail(store: Store, checkpoint: Any, **query: Any) -> Answer:
    return store.client.get(f"{store.checkpoints}/{checkpoint['id']}", query)


def deleted(store: Store, checkpoint: Any) -> Answer:
    return store.client.delete(f"{store.checkpoints}/{checkpoint['id']}")


def test_it_has_every_name_that_clients_read(store: Store) -> None:
    made(store.configure({"a": 1}))
    made(store.batch([{"key": "a", "value": "12"}, {"key": "b", "value": "345"}]))

    one = made(store.checkpoint("pre-import", description="d", metadata={"n": 1.0}))

    facts = {
        "id": one["id"],
        "checkpoint_id": one["id"],
        "agent_id": made(store.client.get(store.path))["id"],
        "label": "pre-import",
        "description": "d",
        "metadata": {"n": 1.0},
        "number": 3,
        "config_version": "v1",
        "key_count": 2,
        "entry_count": 2,
        "total_size_bytes": 5,
        "created_at": one["created_at"],
        "created_by": one["created_by"],
        "audit_id": one["audit_id"],
    }
    snapshot = {"key_count": 2, "total_size_bytes": 5}
    assert one["id"].startswith("cp_")
    assert one == {
        "object": "checkpoint",
        **facts,
        "data_snapshot": snapshot,
        "checkpoint": facts,
        "hint": None,
    }
    shown = made(detail(store, one))
    assert shown["data_snapshot"] == snapshot
    keys = shown["checkpoint"]["data_snapshot"]
    assert [(entry["key"], entry["value"]) for entry in keys] == [
        ("a", "12"),
        ("b", "345"),
    ]


def test_its_keys_come_page_by_page(store: Store) -> None:
    made(store.batch([{"key": f"k{n}", "value": "v"} for n in range(3)]))
    one = made(store.checkpoint())
    made(store.write("k1", "other"))
    made(store.delete("k2"))

    first = made(detail(store, one, limit=2))["checkpoint"]
    cursor = first["next_cursor"]
    rest = made(detail(store, one, limit=2, cursor=cursor))["checkpoint"]
    bare = made(detail(store, one, full="false"))["checkpoint"]

    found = first["data_snapshot"] + rest["data_snapshot"]
    assert [(entry["key"], entry["value"]) for entry in found] == [
        ("k0", "v"),
        ("k1", "v"),
        ("k2", "v"),
    ]
    assert (first["has_more"], rest["has_more"]) == (True, False)
    assert all("value" not in entry for entry in bare["data_snapshot"])


def test_they_are_listed_newest_first(store: Store) -> None:
    made_ones = [made(store.checkpoint(f"step {n}"))["id"] for n in range(3)]

    whole = listed(store)
    first = listed(store, limit=2)
    rest = listed(store, limit=2, starting_after=first["last_id"])

    assert [one["id"] for one in whole["data"]] == made_ones[::-1]
    assert whole["checkpoints"] == whole["data"]
    assert (whole["total"], whole["has_more"]) == (3, False)
    assert (first["has_more"], first["total"]) == (True, 3)
    assert first["data"] + rest["data"] == whole["data"]
    assert made(store.client.get(store.path))["checkpoint_count"] == 3
    bare = Store(store.client, root="")
    assert listed(bare) == whole


@pytest.mark.parametrize(
    "query",
    [{"limit": "0"}, {"limit": "1001"}, {"limit": "x"}, {"starting_after": "cp_x"}],
)
def test_a_page_that_cannot_be_is_refused(store: Store, query: dict[str, str]) -> None:
    answer = store.client.get(store.checkpoints, query)

    assert (answer.status, answer.param) == (400, next(iter(query)))


def test_deleting_one_removes_the_pointer_alone(store: Store) -> None:
    made(store.write("a", "1"))
    one = made(store.checkpoint("first"))
    made(store.write("a", "2"))

    gone = made(deleted(store, one))
    records = AuditRecord.objects.count()

    assert (gone["success"], gone["id"]) == (True, one["id"])
    # Whoever lost the answer asks again, without a key.
    assert made(deleted(store, one)) == gone
    assert AuditRecord.objects.count() == records
    made(store.write("b"))
    made(store.delete("b"))
    for answer in (
        detail(store, one),
        deleted(store, one),
        store.restore(one),
        store.restore(one, dry_run=True),
        store.compare(one, one),
    ):
        assert (answer.status, answer.code) == (404, "checkpoint_not_found")
    assert listed(store)["data"] == []
    assert made(store.read("a", at=one["number"]))["value"] == "1"
    assert made(store.client.get(store.path))["checkpoint_count"] == 0
    kept = Checkpoint.objects.get(id=one["id"])
    assert kept.hidden_at is not None


def test_each_is_an_event_and_a_record(store: Store) -> None:
    made(store.write("a"))
    one = made(store.checkpoint("first"))
    restored = made(store.restore(one))
    gone = made(deleted(store, one))

    audit = made(store.client.get(f"{store.path}/audit"))["data"]

    told = [(event["operation"], event["resource"], event["id"]) for event in audit]
    assert told[:3] == [
        ("checkpoint.delete", one["id"], gone["audit_id"]),
        ("checkpoint.restore", one["id"], restored["audit_id"]),
        ("checkpoint.create", one["id"], one["audit_id"]),
    ]
    events = Event.objects.filter(action__startswith="checkpoint.").order_by("id")
    assert [(event.action, event.details["checkpoint_id"]) for event in events] == [
        (f"checkpoint.{verb}", one["id"]) for verb in ("created", "restored", "deleted")
    ]
    assert made(store.client.get(f"{store.path}/audit/verify"))["valid"] is True


def test_asked_again_it_is_the_same(store: Store) -> None:
    said = {"label": "first", "description": "d", "metadata": {"n": 1}}
    one = made(store.client.post(store.checkpoints, said))
    events = Event.objects.count()

    assert made(store.client.post(store.checkpoints, said)) == one
    assert Event.objects.count() == events
    others = [{"label": "other"}, {"description": None}, {"metadata": {"n": 2}}]
    for other in others:
        assert made(store.client.post(store.checkpoints, said | other)) != one
    assert made(store.client.post(store.checkpoints, said)) == one
    made(store.write("a"))
    assert made(store.client.post(store.checkpoints, said))["id"] != one["id"]


def test_another_caller_makes_another(store: Store, api: Any) -> None:
    one = made(store.checkpoint("first"))

    assert made(store.as_seen_by(api()).checkpoint("first"))["id"] != one["id"]


def test_one_idempotency_key_is_one_checkpoint(store: Store) -> None:
    def post(key: str) -> Any:
        body = {"label": "first"}
        return made(store.client.post(store.checkpoints, body, Idempotency_Key=key))

    one = post("k")
    made(store.write("a"))

    assert post("k") == one
    assert post("other")["id"] != one["id"]


@pytest.mark.parametrize(
    ("label", "is_told"),
    [
        ("backup", True),
        ("Test 2", True),
        ("checkpoint_1", True),
        ("2026-05-01", True),
        ("", True),
        ("pre-batch-import", False),
        ("before release 42", False),
        ("vor dem Import", False),
        (None, False),
    ],
)
def test_a_label_that_says_nothing_is_told_so(
    store: Store, label: str | None, is_told: bool
) -> None:
    hint = made(store.checkpoint(label))["hint"]

    assert (hint is not None) is is_told


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ({"label": "x" * 256}, "label"),
        ({"label": 1}, "label"),
        ({"label": "a\0b"}, "label"),
        ({"description": "x" * 4097}, "description"),
        ({"metadata": []}, "metadata"),
    ],
)
def test_what_cannot_be_said_of_one_is_refused(
    store: Store, said: dict[str, Any], param: str
) -> None:
    answer = store.client.post(store.checkpoints, said)

    assert (answer.status, answer.param) == (400, param)
    assert listed(store)["total"] == 0


def test_its_metadata_has_a_size(store: Store) -> None:
    answer = store.checkpoint("first", metadata={"a": "x" * 16_384})

    assert (answer.status, answer.code) == (413, "content_too_large")


def test_two_are_compared_either_way(store: Store) -> None:
    made(store.configure({"tone": "kind", "n": 1}))
    made(store.batch([{"key": key, "value": "1"} for key in ("a", "b", "c")]))
    first = made(store.checkpoint("first"))
    made(store.configure({"tone": "curt", "n": 1}))
    made(store.write("a", "22"))
    made(store.delete("b"))
    made(store.write("d"))
    second = made(store.checkpoint("second"))

    there, back = made(store.compare(first, second)), made(store.compare(second, first))

    assert there["data"] == [
        {"key": "a", "change": "changed", "size_before": 1, "size_after": 2},
        {"key": "b", "change": "removed", "size_before": 1, "size_after": 0},
        {"key": "d", "change": "added", "size_before": 0, "size_after": 1},
    ]
    assert (there["added"], there["removed"], there["changed"]) == (["d"], ["b"], ["a"])
    assert (back["added"], back["removed"], back["changed"]) == (["b"], ["d"], ["a"])
    (change,) = there["config"]["changes"]
    assert (change["pointer"], change["before"], change["after"]) == (
        "/tone",
        "kind",
        "curt",
    )
    assert (there["config"]["from_version"], there["config"]["to_version"]) == (
        "v1",
        "v2",
    )
    assert (there["from"]["id"], there["to"]["id"]) == (first["id"], second["id"])
    same = made(store.compare(first, first))
    assert (same["data"], same["config"]["changes"]) == ([], [])


def test_what_differs_comes_page_by_page(store: Store) -> None:
    first = made(store.checkpoint("first"))
    made(store.batch([{"key": f"k{n}", "value": "v"} for n in range(3)]))
    second = made(store.checkpoint("second"))

    page = made(store.compare(first, second, limit=2))
    rest = made(store.compare(first, second, limit=2, cursor=page["next_cursor"]))

    assert (page["added"], rest["added"]) == (["k0", "k1"], ["k2"])
    assert (page["has_more"], rest["has_more"]) == (True, False)


def test_one_of_another_agent_is_not_found(store: Store) -> None:
    made(store.client.post("/v1/agents", {"name": "n", "external_id": "other"}))
    other = Store(store.client, "other")
    made(store.write("a"))
    mine, theirs = made(store.checkpoint("mine")), made(other.checkpoint("theirs"))

    for one in (theirs, NOBODY):
        for answer in (
            detail(store, one),
            deleted(store, one),
            store.restore(one),
            store.compare(mine, one),
            store.compare(one, mine),
        ):
            assert (answer.status, answer.code) == (404, "checkpoint_not_found")
    assert store.keys() == ["a"]
    assert detail(other, theirs).status == 200


def test_a_policy_keeps_the_newest(store: Store) -> None:
    ids = [made(store.checkpoint(f"step {n}"))["id"] for n in range(4)]
    made(store.policies(checkpoint_keep_last=2))

    assert [one["id"] for one in listed(store)["data"]] == [ids[3], ids[2]]
    assert listed(store)["total"] == 2
    unseen = detail(store, {"id": ids[1]})
    assert unseen.code == "checkpoint_not_found"
    assert "a policy hides it" in unseen.body["error"]["message"]
    newest = made(store.checkpoint("newest"))["id"]
    assert [one["id"] for one in listed(store)["data"]] == [newest, ids[3]]
    hidden = Checkpoint.objects.filter(hidden_at__isnull=False)
    assert sorted(hidden.values_list("id", flat=True)) == ids[:3]
    # Hidden is for good: another policy brings nothing back.
    made(store.policies(checkpoint_keep_last=9))
    assert listed(store)["total"] == 2
    assert made(store.client.get(f"/v1/agents/{AGENT}"))["checkpoint_count"] == 2


def test_a_deleted_one_is_not_one_of_the_newest(store: Store) -> None:
    ids = [made(store.checkpoint(f"step {n}"))["id"] for n in range(3)]
    made(store.policies(checkpoint_keep_last=2))

    made(deleted(store, {"id": ids[2]}))

    assert [one["id"] for one in listed(store)["data"]] == [ids[1], ids[0]]
