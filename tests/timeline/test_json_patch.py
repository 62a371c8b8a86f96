"""PATCH with operations of RFC 6902: in the body, or as the body."""

from typing import Any

import pytest

from apps.core import json
from apps.timeline.models import Version
from tests.conftest import Answer
from tests.timeline.runs import Begin, Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db
PATCH = "application/json-patch+json"


def sent(run: Run, operations: Any, **headers: str) -> Answer:
    """Send a patch as it is; header names are written with underscores."""
    return run.client.send(
        "PATCH",
        run.path("state"),
        json.dumps(operations),
        {"Content_Type": PATCH, **headers},
    )


def test_operations_make_one_version(begin: Begin) -> None:
    run = begin({"trip": {"stops": ["NYC", "BOS"]}, "n": 1})

    answer = run.patch(
        operations=[
            {"op": "test", "path": "/n", "value": 1},
            {"op": "move", "from": "/trip/stops/1", "path": "/trip/stops/0"},
            {"op": "add", "path": "/trip/paid", "value": None},
        ],
        reasoning="Boston first",
    )

    assert answer.body["version"] == 1
    assert run.state == {"trip": {"stops": ["BOS", "NYC"], "paid": None}, "n": 1}
    version = run.get("versions", 1)
    assert (version["op"], version["reasoning"]) == ("update", "Boston first")


def test_a_patch_is_taken_as_the_body(begin: Begin) -> None:
    run = begin({"n": 1})

    answer = sent(run, [{"op": "replace", "path": "/n", "value": 10**30}])

    assert (answer.status, answer.body["version"]) == (200, 1)
    assert run.state == {"n": 10**30}
    assert succeeded(sent(run, [], If_Match='"v1"')).body["version"] == 2


def test_a_comparison_written_as_a_patch_makes_one_state_the_other(
    begin: Begin,
) -> None:
    run = begin({"list": [{"id": 1}, {"id": 2}], "gone": {"a": [1]}})
    run.put({"list": [{"id": 2, "new": []}, {"id": 1}, {"id": 3}], "a/b": None})
    patch = run.get("changes", **{"from": 0, "to": 1, "format": "patch"})["patch"]
    fork = run.fork(version=0)

    succeeded(sent(fork, patch))

    assert fork.state == run.state


@pytest.mark.django_db(transaction=True)
def test_what_operations_made_is_proven(begin: Begin) -> None:
    run = begin({"a": {"b": [1, 2]}})
    run.patch(operations=[{"op": "remove", "path": "/a/b/0"}])
    succeeded(sent(run, [{"op": "copy", "from": "/a", "path": "/c"}]))

    assert run.get("verify")["valid"] is True


def test_an_operation_that_does_not_fit_leaves_everything_as_it_was(
    begin: Begin,
) -> None:
    run = begin({"n": 1})

    answer = sent(
        run,
        [
            {"op": "add", "path": "/m", "value": 1},
            {"op": "test", "path": "/n", "value": "secret"},
        ],
    )

    assert_refused(answer, 409, "patch_failed", "/operations/1")
    error = answer.body["error"]
    assert (error["operation"], error["pointer"]) == (1, "/n")
    assert b"secret" not in answer.content
    assert Version.objects.filter(session_id=run.id).count() == 1


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ([{"op": "jump", "path": "/a"}], "/operations/0/op"),
        ([{"op": "remove", "path": "a"}], "/operations/0/path"),
        ([{"op": "remove", "path": "/a", "why": 1}], "/operations/0/why"),
        ([{"op": "add", "path": "", "value": [1]}], "/operations"),
    ],
)
def test_what_is_no_patch_is_refused_at_its_place(
    begin: Begin, body: Any, param: str
) -> None:
    run = begin({"n": 1})

    assert_refused(sent(run, body), 422, "unacceptable_json", param)
    assert run.head == 0


@pytest.mark.parametrize("body", [{"op": "remove", "path": "/a"}, "text", 1])
def test_a_patch_is_a_list(begin: Begin, body: Any) -> None:
    assert_refused(sent(begin({}), body), 400, "invalid_request", "operations")


@pytest.mark.parametrize("name", ["state", "updates", "remove"])
def test_operations_stand_alone(begin: Begin, name: str) -> None:
    run = begin({"a": 1})
    other = ["/a"] if name == "remove" else {"b": 1}
    operations = [{"op": "remove", "path": "/a"}]

    answer = run.client.patch(
        run.path("state"), {"operations": operations, name: other}
    )

    assert_refused(answer, 400, "invalid_request", name)
    assert run.head == 0


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_a_replacement_takes_no_operations(begin: Begin, method: Any) -> None:
    run = begin({"a": 1})
    body = {"state": {}, "operations": []}

    answer = run.client.send(method, run.path("state"), body)
    assert_refused(answer, 400, "unknown_field", "operations")

    as_patch = run.client.send(
        method, run.path("state"), b"[]", {"Content_Type": PATCH}
    )
    assert_refused(as_patch, 400, "unknown_field", "operations")


def test_other_addresses_take_no_patch(begin: Begin) -> None:
    run = begin({})

    answer = run.client.send("POST", run.path("turns"), b"[]", {"Content_Type": PATCH})

    assert_refused(answer, 415, "unsupported_media_type")


def test_a_patch_is_made_once_however_often_it_is_sent(begin: Begin) -> None:
    run = begin({"list": []})
    patch = [{"op": "add", "path": "/list/-", "value": 1}]

    first = succeeded(sent(run, patch, Idempotency_Key="once"))
    again = succeeded(sent(run, patch, Idempotency_Key="once"))
    other = sent(run, [*patch, *patch], Idempotency_Key="once")

    assert again.body == first.body
    assert again.headers["Idempotent-Replayed"] == "true"
    assert_refused(other, 422, "idempotency_key_reused", "Idempotency-Key")
    assert run.state == {"list": [1]}


def test_an_item_of_a_batch_takes_operations(begin: Begin) -> None:
    run = begin({"list": []})
    add = {"operations": [{"op": "add", "path": "/list/-", "value": 1}]}

    succeeded(run.client.post(run.path("versions"), {"versions": [add, add]}))

    assert (run.head, run.state) == (2, {"list": [1, 1]})


def test_a_batch_names_the_item_whose_operation_does_not_fit(begin: Begin) -> None:
    run = begin({"n": 1})
    test = {"operations": [{"op": "test", "path": "/n", "value": 2}]}
    body = {"versions": [{"state": {"a": 1}}, test]}

    answer = run.client.post(run.path("versions"), body)

    assert_refused(answer, 409, "patch_failed", "/versions/1/operations/0")
    error = answer.body["error"]
    assert (error["item"], error["operation"], error["pointer"]) == (1, 0, "/n")
    assert run.head == 0


def test_an_item_that_replaces_takes_no_operations(begin: Begin) -> None:
    run = begin({"n": 1})
    item = {"op": "replace", "state": {}, "operations": []}

    answer = run.client.post(run.path("versions"), {"versions": [item]})

    assert_refused(answer, 400, "invalid_request", "versions[0].operations")
