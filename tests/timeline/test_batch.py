"""A batch is as many single writes, stored all together or not at all."""

from random import Random
from typing import Any

import pytest
from django.db import connection

from apps.audit.models import Event
from apps.core import json
from apps.diffs import facets
from apps.timeline.models import Body, Change, Session, Version
from tests import proof
from tests.conftest import Answer
from tests.feeding import project_all
from tests.timeline.runs import Begin, Clients, Run, assert_refused

pytestmark = pytest.mark.django_db
SEED = 20260301
NAMES = [f"key {at}" for at in range(12)]
ABOUT = {"session_id": "", "created_at": "", "trace_id": ""}
# What is told of a version, and does not depend on when or under which id.
TOLD = (
    *("op", "restored_number", "parent_number", "body_number", "external_id"),
    *("actor_id", "reasoning", "step_number", "step_parent_id", "objective_status"),
    *("schema_version", "release", "model", "size", "flags", "hold"),
    *("changes", "change_count", "changes_truncated"),
)


def proven(run: Run) -> proof.History:
    connection.ensure_connection()
    return proof.assert_proven(connection.connection, run.id)


def batch(run: Run, versions: Any, **fields: Any) -> Answer:
    """Send a batch, whatever comes of it; a key is given as `Idempotency_Key`."""
    headers = {name: fields.pop(name) for name in list(fields) if name[0].isupper()}
    body = json.dumps({"versions": versions, **fields})
    return run.client.post(run.path("versions"), body, **headers)


def appended(run: Run, versions: Any, **fields: Any) -> Any:
    answer = batch(run, versions, **fields)
    assert answer.status == 201, answer.content
    return answer.body


def items(count: int) -> list[dict[str, Any]]:
    """Return writes of all kinds, drawn from the seed."""
    draw = Random(SEED)
    made: list[dict[str, Any]] = []
    for at in range(count):
        state = {draw.choice(NAMES): draw.choice([at, None, "x" * at, [at], {"a": at}])}
        one: dict[str, Any] = {"state": state, "reasoning": f"step {at}"}
        if at % 7 == 3:
            one |= {"op": "replace", "state": {"step": at, "long": "y" * 50 * at}}
        if at % 7 == 4:
            one["remove"] = ["/long"]
        if at % 5 == 1:
            one["messages"] = [{"role": "user", "content": f"m{at}"}]
        if at % 9 == 2:
            one |= {"step_number": at, "external_id": f"e{at}"}
        if at % 10 == 9 and "op" not in one:
            one["state"] = {}
        made.append(one)
    return made


def stored() -> list[int]:
    return [kind.objects.count() for kind in (Version, Body, Change, Event)]


def one_by_one(run: Run, versions: list[dict[str, Any]]) -> None:
    for one in versions:
        fields = {name: value for name, value in one.items() if name != "op"}
        run.send("PUT" if one.get("op") == "replace" else "PATCH", "state", fields)


@pytest.mark.parametrize("count", [1, 2, 99, 100])
def test_it_stores_as_many_versions_as_it_was_given(begin: Begin, count: int) -> None:
    run = begin({"n": 0})

    body = appended(run, [{"state": {"n": at}} for at in range(1, count + 1)])

    assert body["object"] == "batch"
    assert (body["first_version"], body["last_version"]) == (1, count)
    assert body["version"] == count
    assert [one["version"] for one in body["versions"]] == list(range(1, count + 1))
    assert body["state"] == {"n": count}
    assert (body["hold"], body["last_rollback"]) == ("open", None)
    states = proof.states(proven(run))
    assert states == [{"n": at} for at in range(count + 1)]


def test_a_hundred_at_once_are_what_a_hundred_single_writes_are(begin: Begin) -> None:
    together, apart = begin({"n": 0}), begin({"n": 0})
    versions = items(100)

    appended(together, versions)
    one_by_one(apart, versions)

    ours, theirs = proven(together), proven(apart)
    assert proof.states(ours) == proof.states(theirs)
    for name in TOLD:
        found = [getattr(version, name) for version in ours.versions]
        assert found == [getattr(version, name) for version in theirs.versions], name
    told = ("number", "base_number", "depth", "codec", "data", "size")
    assert [[getattr(one, name) for name in told] for one in ours.bodies.values()] == [
        [getattr(one, name) for name in told] for one in theirs.bodies.values()
    ]
    assert proof.raws(ours) == proof.raws(theirs)
    project_all()
    assert marks_of(together) == marks_of(apart) != set()
    assert together.get("checkpoint") | ABOUT == apart.get("checkpoint") | ABOUT
    kept = Session.objects.get(id=together.id)
    assert kept.facets == Session.objects.get(id=apart.id).facets
    assert kept.updated_at == ours.versions[-1].created_at


def marks_of(run: Run) -> set[Any]:
    return {
        (
            one.number,
            bytes(one.path_key),
            one.role,
            one.kind,
            bytes(one.value_key or b""),
        )
        for one in Change.objects.filter(session_id=run.id)
    }


def test_each_version_has_its_event_and_its_trace(begin: Begin) -> None:
    run = begin()

    body = appended(run, [{"state": {"n": 1}}, {"state": {"n": 2}, "trace_id": "mine"}])

    events = Event.objects.filter(stream_id=run.id).order_by("number")
    assert [(one.action, one.number) for one in events] == [
        ("session.created", 0),
        ("version.created", 1),
        ("version.created", 2),
    ]
    assert [one["trace_id"] for one in body["versions"]] == [events[1].id, "mine"]


def test_it_builds_on_what_is_there_and_others_build_on_it(begin: Begin) -> None:
    run = begin({"n": 0}, messages=[{"say": "hi"}], tasks=[1])
    run.patch({"n": 1})
    run.rollback(0)

    body = appended(run, [{"state": {"a": 1}}, {"state": {}, "tasks": [2]}])
    run.patch({"b": 1})

    assert (body["first_version"], body["last_version"]) == (3, 4)
    assert body["last_rollback"]["version"] == 2
    before, after = run.get("checkpoint", version=3), run.get("checkpoint")
    assert (before["messages"], before["tasks"]) == ([{"say": "hi"}], [1])
    assert (after["messages"], after["tasks"]) == ([{"say": "hi"}], [2])
    assert after["state"] == {"n": 0, "a": 1, "b": 1}
    proven(run)


def test_an_item_without_a_difference_shows_the_body_before(begin: Begin) -> None:
    run = begin({"n": 0})

    appended(run, [{"state": {"n": 0}}, {"state": {"n": 1}}, {"state": {"n": 1}}])

    history = proven(run)
    assert [version.body_number for version in history.versions] == [0, 0, 2, 2]
    assert sorted(history.bodies) == [0, 2]


def test_each_state_is_looked_through_once(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Any] = []
    leaves = facets.leaves
    run = begin({"n": 0})
    monkeypatch.setattr(
        facets, "leaves", lambda state: looked.append(state) or leaves(state)
    )

    appended(run, [{"state": {"n": at}} for at in range(1, 9)])

    assert sorted(state["n"] for state in looked) == list(range(9))


def test_a_null_and_a_large_integer_come_back_as_they_were(begin: Begin) -> None:
    run = begin({"city": "Rome"})

    body = appended(run, [{"state": {"n": 10**400}}, {"state": {"city": None}}])

    assert body["state"] == {"city": None, "n": 10**400}
    assert list(body["state"]) == ["city", "n"]
    assert run.state == body["state"]


@pytest.mark.parametrize("count", [0, 101])
def test_too_few_and_too_many_are_refused_with_the_limit(
    begin: Begin, count: int
) -> None:
    run = begin()
    before = stored()

    answer = batch(run, [{"state": {"n": at}} for at in range(count)])

    assert_refused(answer, 400, "invalid_request", "versions")
    assert "1 to 100" in answer.body["detail"]
    assert stored() == before


BAD = {
    "a state that is no object": ({"state": []}, 422, "unacceptable_json", "state"),
    "no state": ({"reasoning": "why"}, 400, "invalid_request", "state"),
    "a missing place": (
        {"state": {}, "remove": ["/a/gone"]},
        422,
        "unacceptable_json",
        "remove",
    ),
    "no pointer": ({"remove": ["gone"]}, 422, "unacceptable_json", "remove"),
    "an unknown op": ({"state": {}, "op": "merge"}, 400, "invalid_request", "op"),
    "a replace without a state": ({"op": "replace"}, 400, "invalid_request", "state"),
    "a replace that removes": (
        {"op": "replace", "state": {}, "remove": ["/a"]},
        400,
        "invalid_request",
        "remove",
    ),
    "a wrong part": ({"messages": {}}, 400, "invalid_request", "messages"),
    "a long name": (
        {"state": {}, "external_id": "x" * 256},
        400,
        "invalid_request",
        "external_id",
    ),
    "a taken name": (
        {"state": {}, "external_id": "taken"},
        409,
        "external_id_taken",
        "external_id",
    ),
    "a name of the batch": (
        {"state": {}, "external_id": "here"},
        409,
        "external_id_taken",
        "external_id",
    ),
    "a head of its own": (
        {"state": {}, "expected_version": 58},
        400,
        "unknown_field",
        "expected_version",
    ),
}


@pytest.mark.parametrize(("bad", "status", "code", "field"), BAD.values(), ids=BAD)
def test_a_bad_item_is_named_and_nothing_is_stored(
    begin: Begin, bad: Any, status: int, code: str, field: str
) -> None:
    run = begin({"a": {}})
    run.patch({"b": 1}, external_id="taken")
    versions: list[Any] = [{"state": {"n": at}} for at in range(100)]
    versions[3]["external_id"] = "here"
    versions[57] = bad
    before = stored()

    answer = batch(run, versions)

    assert_refused(answer, status, code, f"versions[57].{field}")
    assert answer.body["error"]["item"] == 57
    assert answer.body["detail"].startswith("versions[57]")
    assert stored() == before
    assert appended(run, [{"state": {}}])["version"] == 2


def test_a_taken_name_of_the_first_item_is_named_too(begin: Begin) -> None:
    run = begin()
    run.patch({"b": 1}, external_id="taken")

    answer = batch(run, [{"state": {}, "external_id": "taken"}, {"state": {}}])

    assert_refused(answer, 409, "external_id_taken", "versions[0].external_id")
    assert answer.body["error"]["session_id"] == run.id
    assert run.head == 1


def test_an_item_that_is_no_object_is_named(begin: Begin) -> None:
    run = begin()

    answer = batch(run, [{"state": {}}, 5])

    assert_refused(answer, 422, "unacceptable_json", "versions[1]")
    assert answer.body["error"]["item"] == 1


def test_a_place_deep_in_an_item_is_told_as_a_pointer(begin: Begin) -> None:
    run = begin()
    deep: Any = []
    for _ in range(127):
        deep = [deep]

    answer = batch(run, [{"state": {}}, {"state": {"a": {"b": deep}}}])

    assert (answer.status, answer.code) == (422, "unacceptable_json")
    assert str(answer.param).startswith("/versions/1/state/a/b/0")
    assert answer.body["error"]["item"] == 1


def test_what_the_parser_refuses_is_told_with_its_item(begin: Begin) -> None:
    run = begin()
    body = b'{"versions":[{"state":{}},{"state":{"a":[1e400]}}]}'

    answer = run.client.post(run.path("versions"), body)

    assert_refused(answer, 422, "unacceptable_json", "/versions/1/state/a/0")
    assert answer.body["error"]["item"] == 1
    assert run.head == 0


def test_an_item_that_makes_the_state_too_large_is_named(begin: Begin) -> None:
    run = begin({"a": "x" * 9_000_000})
    before = stored()

    answer = batch(run, [{"state": {"n": 1}}, {"state": {"b": "y" * 9_000_000}}])

    assert_refused(answer, 413, "payload_too_large", "versions[1]")
    assert answer.body["error"]["item"] == 1
    assert stored() == before


@pytest.mark.parametrize("versions", [None, {}, "two"])
def test_versions_are_a_list(begin: Begin, versions: Any) -> None:
    assert_refused(batch(begin(), versions), 400, "invalid_request", "versions")


def test_a_replay_answers_all_numbers_whatever_came_since(begin: Begin) -> None:
    run = begin({"n": 0})
    versions = [{"state": {"n": at}} for at in (1, 2, 3)]

    first = batch(run, versions, Idempotency_Key="k")
    run.patch({"n": 9}, external_id="later")
    run.rollback(0)
    run.hold("close")
    again = batch(run, versions, Idempotency_Key="k")

    assert (again.status, again.content) == (201, first.content)
    assert first.headers["ETag"] == again.headers["ETag"] == '"v3"'
    assert again.headers["Idempotent-Replayed"] == "true"
    assert [one["version"] for one in again.body["versions"]] == [1, 2, 3]
    assert proven(run).session.head_number == 6


def test_the_key_is_on_the_last_version_with_the_first_number(begin: Begin) -> None:
    run = begin()

    appended(run, [{"state": {"n": at}} for at in range(3)], Idempotency_Key="k")

    found = [(one.request_key, one.first_number) for one in proven(run).versions]
    assert found == [(None, None), (None, None), (None, None), ("k", 1)]


def test_a_key_is_one_for_batches_and_single_writes(begin: Begin) -> None:
    run = begin()
    batch(run, [{"state": {"n": 1}}], Idempotency_Key="of a batch")
    run.client.patch(run.path("state"), {"state": {}}, Idempotency_Key="single")

    refused = [
        batch(run, [{"state": {"n": 2}}], Idempotency_Key="of a batch"),
        batch(run, [{"state": {}}], Idempotency_Key="single"),
        run.client.patch(
            run.path("state"), {"state": {"n": 1}}, Idempotency_Key="of a batch"
        ),
    ]

    for answer in refused:
        assert_refused(answer, 422, "idempotency_key_reused", "Idempotency-Key")
    assert run.head == 2


def test_a_stale_head_is_refused_whichever_way_it_was_named(run: Run) -> None:
    by_field = batch(run, [{"state": {}}], expected_version=1)
    by_header = batch(run, [{"state": {}}], If_Match='"v1"')

    assert_refused(by_field, 409, "version_conflict", "expected_version")
    assert_refused(by_header, 412, "version_mismatch", "If-Match")
    assert by_field.body["error"]["head"] == 2
    assert appended(run, [{"state": {}}] * 2, expected_version=2)["version"] == 4
    assert appended(run, [{"state": {}}] * 2, If_Match='"v4"')["version"] == 6


def test_a_paused_and_a_closed_session_take_none(run: Run) -> None:
    run.hold("pause")
    assert_refused(batch(run, [{"state": {}}] * 2), 423, "session_paused")
    run.hold("resume")
    run.hold("close")

    assert_refused(batch(run, [{"state": {}}] * 2), 409, "session_closed")
    assert proven(run).versions[-1].number == 5


def test_a_suspended_agent_writes_none(run: Run) -> None:
    assert run.client.post("/v1/agents/travel/suspend").status == 200

    assert_refused(batch(run, [{"state": {}}] * 2), 403, "agent_suspended")
    assert proven(run).versions[-1].number == 2


def test_it_is_not_found_where_the_session_is_not(
    run: Run, api: Clients, make_key: Any
) -> None:
    strangers = [api(make_key(agents=["somebody-else"])), run.client]
    paths = [run.path("versions"), "/v1/sessions/sess_0/versions"]

    for client, path in zip(strangers, paths, strict=True):
        answer = client.post(path, {"versions": [{"state": {}}]})
        assert_refused(answer, 404, "session_not_found")


def test_a_name_is_refused_where_another_version_had_it_all_along(
    begin: Begin,
) -> None:
    run = begin()
    appended(run, [{"state": {}, "external_id": f"e{at}"} for at in range(4)])

    answer = batch(run, [{"state": {}}, {"state": {}, "external_id": "e3"}])

    assert_refused(answer, 409, "external_id_taken", "versions[1].external_id")
    assert proven(run).versions[-1].number == 4


def test_a_batch_makes_way_between_its_versions(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin({"n": 0, "rows": {"a": 1}})
    ways: list[int] = []
    monkeypatch.setattr("apps.core.admission.gate.is_wanted", lambda: True)
    monkeypatch.setattr("apps.core.admission.gate.make_way", lambda: ways.append(1))

    appended(run, [{"state": {"n": at}} for at in range(1, 5)])

    assert len(ways) == 3
    assert run.get("state")["state"] == {"n": 4, "rows": {"a": 1}}
    assert run.get("verify")["derived"]["valid"]


def test_a_batch_that_comes_to_too_much_is_refused_with_what_fits(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin({"text": "x" * 1000})
    monkeypatch.setattr("apps.timeline.ledger.encoding.batches.MAX_BATCH_BYTES", 3_500)

    answer = batch(run, [{"state": {"n": n}} for n in range(9)])

    assert_refused(answer, 413, "payload_too_large", "versions[3]")
    assert "send 3 at once" in answer.body["error"]["message"]
    assert Version.objects.filter(session_id=run.id).count() == 1
