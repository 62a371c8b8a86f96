"""What merging refuses, what it never shows, and what does not come along."""

import base64
from typing import Any

import pytest

from apps.accounts.models import Project, Scope
from apps.core import json
from apps.timeline.models import Body, Version
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def fork(run: Run) -> Run:
    """A fork of the session that says Berlin."""
    made = run.fork()
    made.patch({"city": "Berlin"})
    return made


def requests(run: Run, fork: Run, head: int = 2) -> list[tuple[str, dict[str, Any]]]:
    """Return what would do something, by verb."""
    expected = {"expected_version": head}
    return [
        ("promote", {"fork": fork.id, **expected}),
        ("revert", {"first_version": 1, "last_version": 2, **expected}),
        ("reapply", {"first_version": 1, "last_version": 1, **expected}),
        ("restore", {"version": 0, "pointers": ["/city"], **expected}),
    ]


def all_refused(
    run: Run, fork: Run, status: int, code: str, client: Any = None, head: int = 2
) -> None:
    for verb, body in requests(run, fork, head):
        answer = (client or run.client).post(run.path(verb), body)
        assert_refused(answer, status, code)


def test_a_closed_session_refuses_and_a_closed_fork_is_promoted(
    run: Run, fork: Run
) -> None:
    fork.hold("close")
    other = run.fork()
    assert run.client.post(run.path("promote"), requests(run, fork)[0][1]).status == 200

    other.hold("close")
    all_refused(other, other.fork(), 409, "session_closed", head=1)


def test_a_paused_session_refuses_agents(run: Run, fork: Run) -> None:
    run.hold("pause")

    all_refused(run, fork, 423, "session_paused", head=3)
    assert run.head == 3


def test_a_suspended_agent_is_refused(run: Run, fork: Run) -> None:
    run.client.post("/v1/agents/travel/suspend")

    for verb, body in requests(run, fork):
        if verb != "reapply":  # Which clashes, and is told so first.
            answer = run.client.post(run.path(verb), body)
            assert_refused(answer, 403, "agent_suspended")


def test_a_deleted_fork_is_not_found(run: Run, fork: Run) -> None:
    run.client.delete(f"/v1/sessions/{fork.id}")

    answer = run.client.post(run.path("promote"), requests(run, fork)[0][1])

    assert_refused(answer, 404, "session_not_found")


def test_another_project_finds_neither(
    run: Run, fork: Run, api: Clients, make_key: Keys, other_project: Project
) -> None:
    stranger = api(make_key(project=other_project))

    all_refused(run, fork, 404, "session_not_found", stranger)
    query = {"fork": fork.id}
    answer = stranger.get(run.path("promote", "preview"), query)
    assert_refused(answer, 404, "session_not_found")


def test_a_fork_of_an_agent_beyond_the_key_is_not_found(
    run: Run, api: Clients, make_key: Keys
) -> None:
    theirs = run.fork(agent_id="billing")
    theirs.patch({"city": "Berlin"})
    limited = api(make_key(agents=["travel"]))

    body = {"fork": theirs.id, "expected_version": 2}
    asked = limited.get(run.path("promote", "preview"), {"fork": theirs.id})

    for answer in (asked, limited.post(run.path("promote"), body)):
        assert_refused(answer, 404, "session_not_found")
        assert b"Berlin" not in answer.content


@pytest.mark.parametrize("scope", [Scope.READ, Scope.MASKED])
def test_a_key_that_only_reads_merges_nothing(
    run: Run, fork: Run, api: Clients, make_key: Keys, scope: Scope
) -> None:
    reader = api(make_key(scope=scope))

    all_refused(run, fork, 403, "permission_denied", reader)
    query = {"fork": fork.id}
    preview = reader.get(run.path("promote", "preview"), query)
    assert preview.status == (200 if scope == Scope.READ else 403)
    assert (b"Berlin" in preview.content) == (scope == Scope.READ)


def test_nobody_without_a_key_merges(run: Run, fork: Run, api: Clients) -> None:
    all_refused(run, fork, 401, "authentication_failed", api(None))


def test_a_get_of_the_act_and_a_post_of_the_preview_are_no_such_method(
    run: Run,
) -> None:
    for verb in ("promote", "revert", "reapply", "restore"):
        answer = run.client.get(run.path(verb))
        assert_refused(answer, 405, "method_not_allowed")
        answer = run.client.post(run.path(verb, "preview"), {})
        assert_refused(answer, 405, "method_not_allowed")


def test_a_value_that_breaks_the_rules_of_states_is_refused_at_its_place(
    run: Run, fork: Run
) -> None:
    run.patch({"city": "Oslo"})
    preview = run.get("promote", "preview", fork=fork.id)
    (conflict,) = preview["conflicts"]
    deep: Any = 1
    for _ in range(json.MAX_DEPTH + 1):
        deep = [deep]
    body = {
        "fork": fork.id,
        "expected_version": 3,
        "choices": {conflict["id"]: {"value": deep}},
    }

    answer = run.client.post(run.path("promote"), body)

    assert_refused(answer, 422, "unacceptable_json")
    assert answer.param.startswith("/state/city")
    assert run.head == 3


def test_a_result_that_is_too_large_is_stored_nowhere(begin: Begin) -> None:
    half = "x" * (json.MAX_STATE_BYTES // 2)
    run = begin({"a": 1})
    fork = run.fork()
    fork.patch({"theirs": half})
    run.patch({"ours": half})
    stored = Body.objects.count()

    body = {"fork": fork.id, "expected_version": 1}
    answer = run.client.post(run.path("promote"), body)

    assert_refused(answer, 413, "payload_too_large")
    assert (run.head, Body.objects.count()) == (1, stored)


@pytest.mark.parametrize(
    ("choices", "status"),
    [
        ({"a": "both"}, 400),
        ({"a": {"value": 1, "and": 2}}, 400),
        ({"a": {}}, 400),
        ({"a": None}, 400),
        ([], 400),
        ({"a": "ours"}, 422),
        ({"a": "value"}, 400),
    ],
)
def test_what_is_no_choice_is_refused(
    run: Run, fork: Run, choices: Any, status: int
) -> None:
    body = {"fork": fork.id, "expected_version": 2, "choices": choices}

    answer = run.client.post(run.path("promote"), body)

    assert answer.status == status, answer.content
    assert run.head == 2


def test_turns_and_effects_of_the_fork_are_named_and_stay_there(
    run: Run, fork: Run
) -> None:
    fork.turn(state_after={"city": "Bonn"})
    effect = {"tool": "send_mail", "arguments": {"to": "ada"}}
    fork.post("effects", {"key": "mail-1", "class": "irreversible", **effect})
    fork.post("effects", {"key": "look-1", "class": "read", **effect})

    shown = run.get("promote", "preview", fork=fork.id)
    run.post("promote", {"fork": fork.id, "expected_version": 2})

    assert (shown["turns_left"], shown["effects_left_count"]) == (1, 1)
    (left,) = shown["effects_left"]
    assert (left["key"], left["tool"], left["status"]) == (
        "mail-1",
        "send_mail",
        "begun",
    )
    assert run.get("turns")["data"] == []
    assert run.get("effects")["data"] == []
    again = run.get("promote", "preview", fork=fork.id)
    assert (again["turns_left"], again["effects_left_count"]) == (0, 0)


def test_it_is_told_as_an_event_of_its_own(run: Run, fork: Run) -> None:
    answer = run.post("promote", {"fork": fork.id, "expected_version": 2})
    trace = run.client.get(f"/v1/traces/{answer['trace_id']}").body

    assert trace["event"] == "session.promoted"
    found = run.client.get("/v1/traces", {"action": "session.promoted"}).body
    assert [one["resource_id"] for one in found["data"]] == [run.id]


def test_blame_goes_on_in_the_fork_and_names_who_brought_it(
    run: Run, fork: Run
) -> None:
    run.post("promote", {"fork": fork.id, "expected_version": 2})
    run.patch({"step": 3})

    blame = run.get("blame", pointer="/city", limit=3)

    first, second, third = blame["data"]
    assert (first["session_id"], first["version"], first["op"]) == (
        fork.id,
        1,
        "update",
    )
    assert first["restored_by"]["version"] == 3
    assert first["restored_by"]["source_session_id"] == fork.id
    assert (second["session_id"], second["version"]) == (run.id, 2)
    assert (third["session_id"], third["version"]) == (run.id, 0)


def test_blame_of_a_fork_beyond_the_key_ends_at_the_merge(
    run: Run, api: Clients, make_key: Keys
) -> None:
    theirs = run.fork(agent_id="billing")
    theirs.patch({"city": "Berlin"})
    run.post("promote", {"fork": theirs.id, "expected_version": 2})
    limited = api(make_key(agents=["travel"]))

    blame = limited.get(run.path("blame"), {"pointer": "/city"}).body

    (setter,) = blame["data"]
    assert (setter["session_id"], setter["version"]) == (run.id, 3)
    assert (setter["op"], setter["after"]) == ("promote", "Berlin")


def test_a_value_of_ones_own_is_set_by_the_merge(run: Run, fork: Run) -> None:
    run.patch({"city": "Oslo"})
    (conflict,) = run.get("promote", "preview", fork=fork.id)["conflicts"]
    choices = {conflict["id"]: {"value": "Paris"}}
    run.post("promote", {"fork": fork.id, "expected_version": 3, "choices": choices})

    (setter,) = run.get("blame", pointer="/city")["data"]

    assert (setter["version"], setter["before"], setter["after"]) == (
        4,
        "Oslo",
        "Paris",
    )


def opaque(text: str) -> dict[str, Any]:
    data = base64.b64encode(text.encode()).decode()
    return {"opaque": {"graph": {"media_type": "a/b", "base64": data}}}


class TestOtherParts:
    def test_parts_of_json_merge_as_the_state_does(self, begin: Begin) -> None:
        run = begin({"n": 0})
        run.patch({"n": 1}, tool_results={"a": 1, "b": 1}, messages=[{"id": "1"}])
        fork = run.fork()
        fork.patch({"n": 2}, tool_results={"a": 2, "b": 1})
        run.patch(tool_results={"a": 1, "b": 2}, messages=[{"id": "1"}, {"id": "2"}])

        run.post("promote", {"fork": fork.id, "expected_version": 2})

        checkpoint = run.get("checkpoint")
        assert checkpoint["tool_results"] == {"a": 2, "b": 2}
        assert checkpoint["messages"] == [{"id": "1"}, {"id": "2"}]
        assert checkpoint["state"] == {"n": 2}

    def test_a_conflict_says_in_which_part_it_is(self, begin: Begin) -> None:
        run = begin({"a": 0})
        run.patch({"a": 1}, tool_results={"a": 1})
        fork = run.fork()
        fork.patch({"a": 2}, tool_results={"a": 2})
        run.patch({"a": 3}, tool_results={"a": 3})

        shown = run.get("promote", "preview", fork=fork.id)["conflicts"]

        assert [(one["part"], one["pointer"]) for one in shown] == [
            ("state", "/a"),
            ("tool_results", "/a"),
        ]
        assert shown[0]["id"] != shown[1]["id"]

    def test_opaque_parts_of_the_one_side_that_changed_are_taken_whole(
        self, begin: Begin
    ) -> None:
        run = begin({"n": 0})
        run.patch({"n": 1}, **opaque("one"))
        fork = run.fork()
        fork.patch({"n": 2}, **opaque("two"))
        shown = run.get("promote", "preview", fork=fork.id)

        run.post("promote", {"fork": fork.id, "expected_version": 1})

        assert shown["takes_opaque"]
        checkpoint = run.get("checkpoint")
        assert checkpoint["opaque"] == opaque("two")["opaque"]
        assert Version.objects.get(session_id=run.id, number=2).source_opaque
        newest = run.get("checkpoints")["data"][0]
        assert (newest["version"], newest["op"]) == (2, "promote")
        assert newest["opaque"] == opaque("two")["opaque"]

    @pytest.mark.parametrize(("pick", "text"), [("ours", "here"), ("theirs", "there")])
    def test_where_both_sides_changed_one_is_chosen_whole(
        self, begin: Begin, pick: str, text: str
    ) -> None:
        run = begin({"n": 0})
        run.patch({"n": 1}, **opaque("one"))
        fork = run.fork()
        fork.patch({"there": 1}, **opaque("there"))
        run.patch({"here": 1}, **opaque("here"))
        body = {"fork": fork.id, "expected_version": 2}
        answer = run.client.post(run.path("promote"), body)
        assert_refused(answer, 409, "merge_conflict")
        (conflict,) = answer.body["error"]["conflicts"]
        assert (conflict["kind"], conflict["picks"]) == ("opaque", ["ours", "theirs"])
        unfit = {conflict["id"]: "base"}
        answer = run.client.post(run.path("promote"), body | {"choices": unfit})
        assert_refused(answer, 422, "choice_refused")

        run.post("promote", body | {"choices": {conflict["id"]: pick}})

        checkpoint = run.get("checkpoint")
        assert checkpoint["opaque"] == opaque(text)["opaque"]
        assert checkpoint["state"] == {"n": 1, text: 1}
        assert run.get("verify")["valid"]

    def test_a_state_that_moved_beside_its_opaque_parts_is_chosen_whole(
        self, begin: Begin
    ) -> None:
        run = begin({"n": 0})
        run.patch({"n": 1}, **opaque("one"))
        fork = run.fork()
        fork.patch({"n": 2}, **opaque("two"))
        run.patch({"other": 1})

        (conflict,) = run.get("promote", "preview", fork=fork.id)["conflicts"]

        assert conflict["part"] == "opaque"

    def test_a_merge_that_took_no_opaque_part_is_shown_to_no_checkpointer(
        self, begin: Begin
    ) -> None:
        run = begin({"n": 0})
        run.patch({"n": 1}, external_id="mine", **opaque("one"))
        fork = run.fork()
        fork.patch({"n": 2})

        run.post("promote", {"fork": fork.id, "expected_version": 1})

        newest = run.get("checkpoints")["data"][0]
        assert newest["checkpoint_id"] == "mine"
