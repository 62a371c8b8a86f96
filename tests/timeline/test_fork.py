"""Forking: a new session from any version; the old one stays as it was."""

from typing import Any

import pytest

from apps.accounts.models import Project
from apps.timeline.models import Session
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


def test_it_starts_from_the_head_unless_told_otherwise(run: Run) -> None:
    answer = run.client.post(run.path("fork"))

    body = answer.body
    assert answer.status == 201
    assert answer.headers["ETag"] == '"v0"'
    assert body["id"] == body["session_id"] == body["new_session_id"] != run.id
    assert body["version"] == 0
    assert body["state"] == {"step": 2, "city": "NYC"}
    assert body["agent_id"] == "travel"
    assert (body["forked_from"], body["forked_version"]) == (run.id, 2)
    assert body["metadata"] == {"forked_from": run.id, "forked_version": 2}
    assert body["status"] == "active"


@pytest.mark.parametrize(
    ("version", "number"), [(0, 0), (1, 1), (2, 2), (-1, 1), (-2, 0), (None, 2)]
)
def test_it_starts_from_any_version(run: Run, version: Any, number: Any) -> None:
    fork = run.fork(version=version)

    assert fork.state["step"] == number
    assert fork.made.body["forked_version"] == number


def test_it_is_about_the_same_user_unless_another_is_named(begin: Begin) -> None:
    run = begin(user_id="u_17")

    assert run.fork().made.body["user_id"] == "u_17"
    assert run.fork(user_id="u_18").made.body["user_id"] == "u_18"


@pytest.mark.parametrize("version", [3, 99, -3])
def test_a_version_that_is_not_there_is_not_found(run: Run, version: Any) -> None:
    answer = run.client.post(run.path("fork"), {"version": version})

    assert_refused(answer, 404, "version_not_found", "version")
    assert answer.body["error"]["head"] == 2
    assert Session.objects.count() == 1


@pytest.mark.parametrize("version", ["1", 1.0, True, [], -(2**31) - 1])
def test_what_is_no_version_number_is_refused(run: Run, version: Any) -> None:
    answer = run.client.post(run.path("fork"), {"version": version})

    assert_refused(answer, 400, "invalid_request", "version")
    assert Session.objects.count() == 1


def test_it_leaves_the_original_untouched(run: Run) -> None:
    before = run.get("history", include_traces=False)

    fork = run.fork(version=1)
    fork.patch({"city": "Oslo"})
    fork.rollback(0)

    assert run.get("history", include_traces=False) == before
    assert run.state == {"step": 2, "city": "NYC"}


def test_the_two_go_on_apart(run: Run) -> None:
    fork = run.fork()

    run.patch({"city": "Rome"})
    fork.patch({"city": "Oslo"})

    assert (run.state["city"], fork.state["city"]) == ("Rome", "Oslo")
    assert (run.head, fork.head) == (3, 1)


def test_it_can_start_with_other_keys_set(run: Run) -> None:
    fork = run.fork(version=1, state={"city": "Oslo", "new": None})

    assert fork.state == {"step": 1, "city": "Oslo", "new": None}
    changes = fork.get("versions", 0)["changes"]
    assert {change["pointer"] for change in changes} == {"/city", "/new"}


def test_it_carries_metadata_of_its_own(begin: Begin) -> None:
    run = begin(metadata={"tier": "gold"}, user_id="u-1")

    fork = run.fork(metadata={"why": "what if"}, user_id="u-2")

    assert fork.made.body["metadata"] == {
        "why": "what if",
        "forked_from": run.id,
        "forked_version": 0,
    }
    assert fork.made.body["user_id"] == "u-2"


@pytest.mark.parametrize("name", ["agent_id", "new_agent_id"])
def test_it_can_be_given_to_another_agent(run: Run, name: Any) -> None:
    fork = run.fork(**{name: "billing"})

    assert fork.get()["agent_id"] == "billing"
    assert run.get()["agent_id"] == "travel"


def test_a_limited_key_cannot_fork_for_another_agent(
    api: Clients, run: Run, make_key: Keys
) -> None:
    limited = api(make_key(agents=["travel"]))

    refused = limited.post(run.path("fork"), {"agent_id": "billing"})
    allowed = limited.post(run.path("fork"), {"agent_id": "travel"})

    assert_refused(refused, 403, "permission_denied", "agent_id")
    assert allowed.status == 201


def test_its_name_must_be_free(run: Run) -> None:
    fork = run.fork(external_id="what-if")

    answer = run.client.post(run.path("fork"), {"external_id": "what-if"})

    assert_refused(answer, 409, "external_id_taken", "external_id")
    assert answer.body["error"]["session_id"] == fork.id
    assert Session.objects.count() == 2


def test_it_carries_every_part_of_the_checkpoint(begin: Begin) -> None:
    run = begin({"a": 1}, messages=["one"], model_params={"seed": 7})
    run.patch({"a": 2}, messages=["one", "two"])

    fork = run.fork(version=0, tasks=[{"id": "t"}])

    checkpoint = fork.get("checkpoint")
    assert checkpoint["messages"] == ["one"]
    assert checkpoint["model_params"] == {"seed": 7}
    assert checkpoint["tasks"] == [{"id": "t"}]
    assert checkpoint["state"] == {"a": 1}


def test_it_does_not_carry_turns(run: Run) -> None:
    run.turn()

    fork = run.fork()

    assert fork.get("turns")["data"] == []
    assert fork.get()["turn_count"] == 0


def test_a_fork_of_a_fork_names_the_fork(run: Run) -> None:
    first = run.fork(version=1)
    first.patch({"city": "Oslo"})

    second = first.fork()

    assert second.made.body["forked_from"] == first.id
    assert second.made.body["forked_version"] == 1
    assert second.state == {"step": 1, "city": "Oslo"}
    assert second.get()["metadata"]["forked_from"] == first.id


@pytest.mark.parametrize("verb", ["close", "pause"])
def test_a_held_session_can_be_forked_and_its_fork_is_open(run: Run, verb: Any) -> None:
    run.hold(verb)

    fork = run.fork()

    assert fork.made.body["status"] == "active"
    assert fork.patch({"city": "Oslo"}).body["version"] == 1


def test_a_version_set_aside_can_be_forked(run: Run) -> None:
    run.rollback(0)

    assert run.fork(version=2).state == {"step": 2, "city": "NYC"}


def test_it_tells_why(run: Run) -> None:
    fork = run.fork(reason="What if Oslo?")

    version = fork.get("versions", 0)
    assert version["op"] == "fork"
    assert version["reasoning"] == "What if Oslo?"


def test_a_repeated_request_makes_one_fork(run: Run) -> None:
    client, path = run.client, run.path("fork")

    first = client.post(path, {"version": 1}, Idempotency_Key="k")
    Run(client, first).patch({"city": "Oslo"})
    again = client.post(path, {"version": 1}, Idempotency_Key="k")

    assert (again.status, again.body) == (201, first.body)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert Session.objects.count() == 2


def test_a_session_of_another_project_cannot_be_forked(
    api: Clients, run: Run, make_key: Keys, other_project: Project
) -> None:
    stranger = api(make_key(project=other_project))

    answer = stranger.post(run.path("fork"), {})

    assert_refused(answer, 404, "session_not_found")
