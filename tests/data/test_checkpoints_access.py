"""Who may make, see and restore checkpoints."""

from collections.abc import Iterator
from typing import Any

import pytest

from apps.accounts.models import Scope
from apps.data.models import Checkpoint
from tests.conftest import Answer
from tests.data.conftest import Store, made


@pytest.fixture
def checkpoint(store: Store) -> Any:
    made(store.write("a", "1"))
    one = made(store.checkpoint("first"))
    made(store.write("a", "2"))
    return one


def writes(store: Store, one: Any) -> Iterator[Answer]:
    yield store.checkpoint("second")
    yield store.restore(one)
    yield store.restore(one, dry_run=True)
    yield store.client.delete(f"{store.checkpoints}/{one['id']}")


def reads(store: Store, one: Any) -> Iterator[Answer]:
    yield store.client.get(store.checkpoints)
    yield store.client.get(f"{store.checkpoints}/{one['id']}")
    yield store.compare(one, one)


def assert_untouched(store: Store, checkpoint: Any) -> None:
    assert store.values() == {"a": "2"}
    kept = Checkpoint.objects.filter(hidden_at__isnull=True)
    assert list(kept.values_list("id", flat=True)) == [checkpoint["id"]]


def test_a_read_only_key_reads(
    store: Store, checkpoint: Any, api: Any, make_key: Any
) -> None:
    reader = store.as_seen_by(api(make_key(Scope.READ)))

    assert [answer.status for answer in reads(reader, checkpoint)] == [200] * 3
    for answer in writes(reader, checkpoint):
        assert (answer.status, answer.code) == (403, "permission_denied")
    assert_untouched(store, checkpoint)


def test_nobody_else_sees_them(
    store: Store, checkpoint: Any, api: Any, make_key: Any, other_project: Any
) -> None:
    strangers = [
        store.as_seen_by(api(make_key(Scope.ADMIN, project=other_project))),
        store.as_seen_by(api(make_key(Scope.WRITE, agents=["somebody-else"]))),
    ]

    for stranger in strangers:
        for answer in (*reads(stranger, checkpoint), *writes(stranger, checkpoint)):
            assert (answer.status, answer.code) == (404, "agent_not_found")
    nobody = store.as_seen_by(api(None))
    for answer in (*reads(nobody, checkpoint), *writes(nobody, checkpoint)):
        assert (answer.status, answer.code) == (401, "authentication_failed")
    assert_untouched(store, checkpoint)


def test_a_stranger_is_told_the_same_of_one_that_is_and_one_that_is_not(
    store: Store, checkpoint: Any, api: Any, make_key: Any, other_project: Any
) -> None:
    stranger = store.as_seen_by(api(make_key(Scope.ADMIN, project=other_project)))
    made(stranger.client.post("/v1/agents", {"name": "n", "external_id": store.agent}))

    told = []
    for one in (checkpoint, {"id": "cp_" + "0" * 26}):
        answer = stranger.client.get(f"{stranger.checkpoints}/{one['id']}")
        error = answer.body["error"]
        error.pop("request_id")
        told.append((answer.status, error))

    assert told[0] == told[1]
    assert told[0][1]["code"] == "checkpoint_not_found"


@pytest.mark.parametrize(
    ("method", "ending", "allowed"),
    [
        ("PUT", "", "POST"),
        ("DELETE", "", "GET"),
        ("POST", "/{id}", "DELETE"),
        ("GET", "/{id}/restore", "POST"),
        ("POST", "/{id}/compare/{id}", "GET"),
    ],
)
def test_a_wrong_method_is_named(
    store: Store, checkpoint: Any, method: str, ending: str, allowed: str
) -> None:
    path = store.checkpoints + ending.format(id=checkpoint["id"])

    answer = store.client.send(method, path, {} if method != "GET" else None)

    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert allowed in answer.headers["Allow"]
    assert_untouched(store, checkpoint)


def test_a_suspended_agent_keeps_what_it_has(store: Store, checkpoint: Any) -> None:
    made(store.client.post(f"{store.path}/suspend"))

    assert [answer.status for answer in reads(store, checkpoint)] == [200] * 3
    for answer in writes(store, checkpoint):
        assert (answer.status, answer.code) == (403, "agent_suspended")
    assert_untouched(store, checkpoint)
    made(store.client.post(f"{store.path}/activate"))
    assert made(store.restore(checkpoint))["verified"] is True


def test_a_deleted_agent_keeps_what_it_has(
    store: Store, checkpoint: Any, api: Any, make_key: Any
) -> None:
    made(api(make_key(Scope.ADMIN)).delete(store.path))

    assert [answer.status for answer in reads(store, checkpoint)] == [200] * 3
    for answer in writes(store, checkpoint):
        assert (answer.status, answer.code) == (403, "agent_deleted")
    assert_untouched(store, checkpoint)
