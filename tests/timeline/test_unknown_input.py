"""Unknown input in writes: refused as a whole, or left out and named.

`tests/contracts/test_unknown_input.py` asks every route; here is what they do then.
"""

from typing import Any

import pytest

from apps.core import json
from tests.conftest import Api
from tests.timeline.runs import Begin, Clients, Run, assert_refused

pytestmark = pytest.mark.django_db
LENIENT = {"Prefer": "handling=lenient"}


def named(answer: Any) -> Any:
    return json.parse(answer.headers["Ignored-Input"].encode())


def test_a_misspelt_field_is_told_before_what_is_missing_for_it(run: Run) -> None:
    for key in ({}, {"Idempotency-Key": "k"}):
        answer = run.client.send("PATCH", run.path("state"), {"statee": {"a": 1}}, key)

        assert_refused(answer, 400, "unknown_field", "statee")
        assert answer.body["error"]["nearest"] == "state"


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "k"}])
def test_an_item_of_a_batch_is_named_and_nothing_is_stored(
    run: Run, key: dict[str, str]
) -> None:
    versions: list[Any] = [{"state": {"n": at}} for at in range(100)]
    versions[57] = {"statee": {"n": 57}}

    answer = run.client.post(run.path("versions"), {"versions": versions}, **key)

    assert_refused(answer, 400, "unknown_field", "versions[57].statee")
    error = answer.body["error"]
    assert (error["item"], error["nearest"]) == (57, "state")
    assert "versions[57]: There is no field `statee` here" in error["message"]
    assert run.head == 2


NESTED: dict[str, tuple[str, Any]] = {
    "opaque.mine.mediatype": (
        "state",
        {"state": {}, "opaque": {"mine": {"mediatype": "a/b", "base64": "AA=="}}},
    ),
    "versions[0].opaque.mine.x": (
        "versions",
        {
            "versions": [
                {"opaque": {"mine": {"media_type": "a", "base64": "", "x": 1}}},
            ]
        },
    ),
    "writes[1].chanel": (
        "writes",
        {
            "checkpoint_id": "c",
            "task_id": "t",
            "writes": [
                {"index": 0, "channel": "c", "type": "t", "base64": ""},
                {"index": 1, "chanel": "c", "type": "t", "base64": ""},
            ],
        },
    ),
}


@pytest.mark.parametrize("param", NESTED)
def test_what_has_names_of_ours_is_looked_into(run: Run, param: str) -> None:
    path, body = NESTED[param]

    answer = run.client.post(run.path(path), body)

    assert_refused(answer, 400, "unknown_field", param)
    assert run.head == 2


def test_what_is_the_callers_own_is_not_looked_into(run: Run) -> None:
    free = {"statee": 1, "expected_version": {"x": []}}

    run.put(
        free,
        messages=[free],
        tool_results={"c": free},
        model_params=free,
        tasks=[free],
        artifacts=[free],
    )
    run.turn(free, free, metadata=free, state_after=free)
    told = run.client.patch(run.path(), {"metadata": free})

    assert told.status == 200
    assert run.state == free


def test_the_known_is_stored_and_the_rest_is_named(run: Run) -> None:
    body = {"versions": [{"state": {"a": 1}, "x": 1}, {"state": {"b": 1}}], "y": 1}

    answer = run.client.send("POST", run.path("versions"), body, LENIENT, {"z": "1"})

    assert answer.status == 201
    assert answer.body["ignored"] == ["z", "y", "versions[0].x"] == named(answer)
    assert answer.headers["Preference-Applied"] == "handling=lenient"
    assert run.head == 4


def test_both_preferences_are_met_together(run: Run) -> None:
    prefer = {"Prefer": "return=minimal, handling=lenient"}

    answer = run.client.send("PATCH", run.path("state"), {"state": {}, "x": 1}, prefer)

    assert "state" not in answer.body
    assert answer.body["ignored"] == ["x"]
    met = answer.headers["Preference-Applied"]
    assert met == "return=minimal, handling=lenient"


def test_a_preference_for_what_is_the_rule_is_met(run: Run) -> None:
    answer = run.client.send("GET", run.path("state"), None, LENIENT)

    assert answer.headers["Preference-Applied"] == "handling=lenient"
    assert "Ignored-Input" not in answer.headers
    assert "ignored" not in answer.body


def test_another_preference_is_none(run: Run) -> None:
    prefer = {"Prefer": "handling=loose"}

    answer = run.client.send("PATCH", run.path("state"), {"state": {}, "x": 1}, prefer)

    assert_refused(answer, 400, "unknown_field", "x")
    assert "Preference-Applied" not in answer.headers


def test_many_are_named_and_that_there_are_more(run: Run) -> None:
    body = {"state": {}, **{f"n{number:02}": 1 for number in range(70)}}

    answer = run.client.send("PATCH", run.path("state"), body, LENIENT)

    assert answer.body["ignored"] == [f"n{number:02}" for number in range(50)]
    assert answer.body["ignored_truncated"] is True


def test_any_name_fits_into_the_header(run: Run) -> None:
    name = 'é\n\x7f", \U0001f6eb'

    answer = run.client.send(
        "PATCH", run.path("state"), {"state": {}, name: 1}, LENIENT
    )

    assert answer.body["ignored"] == [name] == named(answer)
    assert answer.headers["Ignored-Input"].isascii()
    assert answer.headers["Ignored-Input"].isprintable()


def test_long_names_are_cut_and_the_header_stays_short(run: Run) -> None:
    body = {"state": {}, **{f"{at}{'é' * 5_000}": 1 for at in range(10, 60)}}

    answer = run.client.send("PATCH", run.path("state"), body, LENIENT)

    assert {len(name) for name in answer.body["ignored"]} == {101}
    assert len(answer.headers["Ignored-Input"]) < 2_100
    assert named(answer)[:3] == answer.body["ignored"][:3]
    assert named(answer)[-1] == "…"


def test_lists_without_an_object_around_them_have_the_header(
    api: Clients, make_key: Any
) -> None:
    client = api(make_key(scope="admin"))

    answer = client.send("GET", "/v1/dashboard/keys", None, LENIENT, {"agent": "a"})

    assert isinstance(answer.body, list)
    assert named(answer) == ["agent"]


def test_what_is_wrong_with_the_known_is_still_refused(run: Run) -> None:
    answer = run.client.send("PATCH", run.path("state"), {"statee": {}}, LENIENT)

    assert_refused(answer, 400, "invalid_request", "state")


def test_one_value_of_a_parameter_is_not_taken_for_another(run: Run) -> None:
    answer = run.client.get(f"{run.path('turns')}?limit=1&limit=2")

    assert_refused(answer, 400, "invalid_request", "limit")


def test_a_read_by_post_has_no_repetitions_to_look_for(run: Run) -> None:
    answer = run.client.post(run.path("context"), {"x": 1}, Idempotency_Key="k")

    assert_refused(answer, 400, "unknown_field", "x")


def test_a_body_where_none_is_taken_is_told(run: Run, api: Clients) -> None:
    for method, path in (("GET", run.path("state")), ("DELETE", run.path())):
        assert run.client.send(method, path, {}).status in (200, 204)
    for method, path in (
        ("GET", "/v1/sessions"),
        ("POST", "/v1/agents/travel/suspend"),
    ):
        answer = run.client.send(method, path, {"limit": 1})

        assert_refused(answer, 400, "unknown_field", "limit")
        assert answer.body["error"]["message"].endswith("it takes none.")
        assert run.client.send(method, path, b"{").status == 400
        assert run.client.send(method, path, []).status == 422


def test_two_names_of_one_thing_must_say_the_same(run: Run) -> None:
    told = {"reasoning": "a", "reason": "b", "state": {}}
    same = {"reasoning": "a", "reason": "a", "state": {}}

    for method in ("PATCH", "PUT", "POST"):
        answer = run.client.send(method, run.path("state"), told)
        assert_refused(answer, 400, "invalid_request", "reason")
        assert run.client.send(method, run.path("state"), same).status == 200
    agents = {"agent_id": "a", "new_agent_id": "b"}
    answer = run.client.post(run.path("fork"), agents)
    assert_refused(answer, 400, "invalid_request", "new_agent_id")
    other = {"versions": [{"state": {}, "op": "replace", "reason": "a"} | told]}
    answer = run.client.post(run.path("versions"), other)
    assert_refused(answer, 400, "invalid_request", "versions[0].reason")


def test_what_belongs_to_a_version_is_named_where_a_turn_makes_none(run: Run) -> None:
    story = {"model": "m", "external_id": "x", "step_number": 0, "reasoning": "kept"}
    body = {"input": "i", "output": "o", **story}

    without = run.client.post(run.path("turns"), body, Idempotency_Key="k")
    again = run.client.post(run.path("turns"), body, Idempotency_Key="k")
    made = run.client.post(run.path("turns"), body | {"state_after": {"new": 1}})

    assert without.body["ignored"] == ["external_id", "step_number", "model"]
    assert again.content == without.content
    assert "ignored" not in made.body
    assert run.get("versions", made.body["version"])["model"] == "m"


TARGETS: list[tuple[dict[str, Any], str]] = [
    ({}, "version"),
    ({"version": None, "count": None}, "version"),
    ({"version": 1, "count": 1}, "count"),
    ({"count": 1, "turn_id": "{turn}"}, "turn_id"),
    ({"version": 1, "targetTurnId": "{turn}"}, "turn_id"),
    ({"turn_id": "{turn}", "targetTurnId": "another"}, "targetTurnId"),
    ({"count": 0}, "count"),
    ({"count": True}, "count"),
    ({"turn_id": ""}, "turn_id"),
]


@pytest.mark.parametrize(("target", "param"), TARGETS)
def test_one_thing_says_where_to_roll_back(
    run: Run, target: dict[str, Any], param: str
) -> None:
    turn = run.turn()["id"]
    body = {name: turn if said == "{turn}" else said for name, said in target.items()}

    answer = run.client.post(run.path("rollback"), body)

    assert_refused(answer, 400, "invalid_request", param)
    assert run.head == 2


def test_a_turn_leads_to_the_head_that_it_left(run: Run) -> None:
    found = run.turn()["id"]
    made = run.turn(state_after={"step": 3})["id"]
    run.patch({"step": 4})

    forks = [run.fork(at_turn_id=one).made.body for one in (found, made)]
    back = run.post("rollback", {"turn_id": made})
    further = run.post("rollback", {"targetTurnId": found})

    assert [one["forked_version"] for one in forks] == [2, 3]
    assert [one["state"]["step"] for one in forks] == [2, 3]
    assert (back["restored_from_version"], back["state"]) == (3, {"step": 3})
    assert further["restored_from_version"] == 2


def test_the_turn_that_left_the_head_has_nothing_to_go_back_to(run: Run) -> None:
    turn = run.turn()["id"]

    answer = run.client.post(run.path("rollback"), {"turn_id": turn})

    assert_refused(answer, 409, "nothing_to_roll_back", "version")


@pytest.mark.parametrize("path", ["rollback", "fork"])
def test_a_turn_of_another_session_is_not_found(
    run: Run, begin: Begin, path: str
) -> None:
    theirs = begin().turn()["id"]
    name = {"rollback": "turn_id", "fork": "at_turn_id"}[path]

    for turn in (theirs, "turn_nothing"):
        answer = run.client.post(run.path(path), {name: turn})

        assert_refused(answer, 404, "turn_not_found")


def test_a_stranger_learns_nothing_of_a_turn(
    run: Run, api: Clients, make_key: Any, other_project: Any
) -> None:
    turn = run.turn()["id"]
    stranger: Api = api(make_key(project=other_project))

    for path, name in (("rollback", "turn_id"), ("fork", "at_turn_id")):
        answer = stranger.post(run.path(path), {name: turn})

        assert_refused(answer, 404, "session_not_found")


def test_a_fork_at_a_turn_and_a_version_is_refused(run: Run) -> None:
    body = {"version": 1, "at_turn_id": run.turn()["id"]}

    answer = run.client.post(run.path("fork"), body)

    assert_refused(answer, 400, "invalid_request", "at_turn_id")


def test_a_repeated_rollback_to_a_turn_is_done_once(run: Run) -> None:
    turn = run.turn()["id"]
    run.patch({"step": 3})

    first, again = (
        run.client.post(run.path("rollback"), {"turn_id": turn}, Idempotency_Key="k")
        for _ in range(2)
    )

    assert (first.status, again.content) == (200, first.content)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert run.head == 4
