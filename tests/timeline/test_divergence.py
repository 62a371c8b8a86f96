"""Where two sessions parted: the last version that both share, along their forks."""

from typing import Any

import pytest

from apps.accounts.models import Project
from apps.timeline.queries import divergence
from apps.timeline.stepping import steps
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


def shared(body: Any) -> tuple[Any, ...]:
    """Return the common version, and how many each has made since."""
    return (
        body["common_session_id"],
        body["common_version"],
        body["versions_since"],
        body["other_versions_since"],
    )


NOTHING = (None, None, None, None)


def test_it_tells_where_a_fork_left_its_original(run: Run) -> None:
    fork = run.fork(version=1)
    fork.patch({"city": "Oslo"})

    assert fork.get("divergence") == {
        "object": "divergence",
        "session_id": fork.id,
        "other_session_id": run.id,
        "common_session_id": run.id,
        "common_version": 1,
        "versions_since": 2,
        "other_versions_since": 1,
        "reason": None,
        "first_differences": [
            {
                "kind": "state",
                "pointer": "/city",
                "step": {
                    "version": 1,
                    "op": "update",
                    "tool": None,
                    "set_aside": False,
                },
                "other_step": {
                    "version": 2,
                    "op": "update",
                    "tool": None,
                    "set_aside": False,
                },
            }
        ],
        "steps_read": {"from_version": 0, "to_version": 1, "is_all": True},
        "other_steps_read": {"from_version": 2, "to_version": 2, "is_all": True},
    }


def test_it_tells_the_same_from_the_other_side(run: Run) -> None:
    fork = run.fork(version=0)

    assert shared(run.get("divergence", other=fork.id)) == (run.id, 0, 2, 1)


def test_the_original_may_go_on_after_the_fork(run: Run) -> None:
    fork = run.fork()
    run.patch({"city": "Oslo"})
    run.rollback(0)

    assert shared(fork.get("divergence")) == (run.id, 2, 1, 2)


def test_a_session_shares_all_with_itself(run: Run) -> None:
    assert shared(run.get("divergence", other=run.id)) == (run.id, 2, 0, 0)


def test_a_fork_of_a_fork_leads_back_to_the_first(run: Run) -> None:
    fork = run.fork(version=1)
    fork.patch({"city": "Oslo"})
    deepest = fork.fork()

    assert shared(deepest.get("divergence")) == (fork.id, 1, 1, 0)
    assert shared(deepest.get("divergence", other=run.id)) == (run.id, 1, 3, 1)
    assert shared(run.get("divergence", other=deepest.id)) == (run.id, 1, 1, 3)


def test_two_forks_share_what_the_earlier_one_was_made_from(run: Run) -> None:
    early, late = run.fork(version=0), run.fork(version=2)
    late.patch({"city": "Oslo"})

    body = early.get("divergence", other=late.id)

    assert body["other_session_id"] == late.id
    assert shared(body) == (run.id, 0, 1, 4)


def test_forks_of_two_forks_meet_in_the_first_session(run: Run) -> None:
    one = run.fork(version=2).fork()
    two = run.fork(version=1).fork()

    assert shared(one.get("divergence", other=two.id)) == (run.id, 1, 3, 2)


def test_unrelated_sessions_share_nothing(run: Run, begin: Begin) -> None:
    body = run.get("divergence", other=begin().id)

    assert shared(body) == NOTHING
    assert body["reason"] == "unrelated"


def test_a_session_that_is_no_fork_has_no_original(run: Run) -> None:
    body = run.get("divergence")

    assert shared(body) == NOTHING
    assert (body["other_session_id"], body["reason"]) == (None, "not_forked")


def test_an_original_that_was_deleted_is_hidden(run: Run) -> None:
    one, two = run.fork(), run.fork()
    run.client.delete(run.path())

    for body in (one.get("divergence"), one.get("divergence", other=two.id)):
        assert shared(body) == NOTHING
        assert body["reason"] == "hidden"


def test_it_does_not_look_past_a_session_that_is_hidden(run: Run) -> None:
    middle = run.fork()
    last = middle.fork()
    middle.client.delete(middle.path())

    for one, other in ((last, run), (run, last)):
        body = one.get("divergence", other=other.id)

        assert shared(body) == NOTHING
        assert body["reason"] == "hidden"


def test_it_follows_only_so_many_forks(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(divergence, "MAX_FORKS", 2)
    second = run.fork().fork()
    third = second.fork()

    assert shared(second.get("divergence", other=run.id)) == (run.id, 2, 2, 0)
    body = third.get("divergence", other=run.id)
    assert shared(body) == NOTHING
    assert body["reason"] == "too_deep"


def test_another_projects_session_is_not_found(
    run: Run, begin: Begin, api: Clients, make_key: Keys, other_project: Project
) -> None:
    theirs = begin(client=api(make_key(project=other_project)))

    for one, other in ((run, theirs), (theirs, run)):
        answer = one.client.get(one.path("divergence"), {"other": other.id})

        assert_refused(answer, 404, "session_not_found")
    assert_refused(theirs.client.get(run.path("divergence")), 404, "session_not_found")


def test_a_limited_key_finds_only_its_agents_sessions(
    run: Run, begin: Begin, api: Clients, make_key: Keys
) -> None:
    limited = api(make_key(agents=["billing"]))
    mine = begin(client=limited, agent_id="billing")

    for path, other in (
        (mine.path("divergence"), {"other": run.id}),
        (run.path("divergence"), {"other": mine.id}),
        (run.path("divergence"), {}),
    ):
        answer = limited.get(path, other)

        assert_refused(answer, 404, "session_not_found")


@pytest.mark.parametrize("other", ["", "sess_0"])
def test_a_session_that_is_not_there_is_not_found(run: Run, other: str) -> None:
    answer = run.client.get(run.path("divergence"), {"other": other})

    assert_refused(answer, 404, "session_not_found")


def test_an_id_that_cannot_be_compared_is_refused(run: Run) -> None:
    answer = run.client.get(run.path("divergence"), {"other": "\0"})

    assert_refused(answer, 400, "invalid_request", "other")


# -- the first steps that differ


def firsts(body: Any) -> list[tuple[Any, ...]]:
    """Return each kind with its place and the versions, or tools, of both sides."""
    return [
        (
            one["kind"],
            one["pointer"],
            *(
                side and (side["tool"] or side["version"])
                for side in (one["step"], one["other_step"])
            ),
        )
        for one in body["first_differences"]
    ]


def call(run: Run, tool: str, **arguments: Any) -> None:
    """Report a call of a tool in a turn that makes no version."""
    asked = {"id": "c", "function": {"name": tool, "arguments": arguments}}
    run.turn({"content": "Go on"}, {"content": "", "tool_calls": [asked]})


def test_it_tells_the_first_difference_of_each_kind(run: Run) -> None:
    fork = run.fork()
    for one, city, then in ((run, "Oslo", "book"), (fork, "Rome", "cancel")):
        call(one, "find", to=city)
        one.patch({"city": city})
        call(one, then)

    body = run.get("divergence", other=fork.id)

    assert firsts(body) == [
        ("action", None, "book", "cancel"),
        ("arguments", "/to", "find", "find"),
        ("state", "/city", 3, 1),
    ]
    assert body["first_differences"][2]["step"] == {
        "version": 3,
        "op": "update",
        "tool": None,
        "set_aside": False,
    }
    assert body["steps_read"] == {"from_version": 3, "to_version": 3, "is_all": True}
    assert body["other_steps_read"]["to_version"] == 1


def test_a_step_that_one_side_lacks_is_null_there(run: Run) -> None:
    fork = run.fork()
    run.rollback(0)

    assert firsts(fork.get("divergence")) == [("action", None, None, 3)]
    assert firsts(run.get("divergence", other=fork.id)) == [("action", None, 3, None)]


def test_a_step_that_was_set_aside_says_so(run: Run) -> None:
    fork = run.fork()
    run.patch({"city": "Oslo"})
    run.rollback(2)

    (_, state) = run.get("divergence", other=fork.id)["first_differences"]

    assert (state["step"]["version"], state["step"]["set_aside"]) == (3, True)


def test_unrelated_sessions_are_compared_from_their_first_steps(
    run: Run, begin: Begin
) -> None:
    body = run.get("divergence", other=begin({"other": 1}).id)

    assert body["reason"] == "unrelated"
    assert firsts(body)[0][0] == "state"
    assert body["steps_read"]["from_version"] == 0


def test_what_did_the_same_differs_in_nothing(run: Run) -> None:
    fork = run.fork()
    for one in (run, fork):
        one.patch({"city": "Oslo", "seen_at": one.id})

    same = run.get("divergence", other=run.id)
    told = firsts(run.get("divergence", other=fork.id))

    assert (same["first_differences"], same["steps_read"]["from_version"]) == ([], None)
    assert told == [("state", "/seen_at", 3, 1)]


def test_it_says_where_it_did_not_look(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "STEPS", 2)
    fork = run.fork()
    for n in range(4):
        run.patch({"n": n})

    body = run.get("divergence", other=fork.id)

    assert body["steps_read"] == {"from_version": 3, "to_version": 4, "is_all": False}


def test_without_another_session_no_step_differs(run: Run) -> None:
    body = run.get("divergence")

    assert (body["first_differences"], body["steps_read"]) == ([], None)
    assert body["other_steps_read"] is None


def test_hostile_names_are_told_as_they_are_and_no_more(run: Run) -> None:
    bad = "<img src=x>\u202e/~"
    fork = run.fork()
    call(run, bad, n=1)
    run.patch({bad: {"a": 1}})

    found = firsts(run.get("divergence", other=fork.id))

    assert found[0] == ("action", None, bad, None)
    assert found[1][:2] == ("state", "/<img src=x>\u202e~1~0")
