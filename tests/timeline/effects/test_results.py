"""Results from the record: a read that was made answers the next that asks the same."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.audit.models import Event
from apps.core.roles.names import Role
from apps.timeline import operations as timeline
from apps.timeline.models import Effect, EffectStep, Forgetting, Session
from apps.timeline.queries.effects import session_results
from tests.acting import acting_as
from tests.acts import act_in
from tests.conftest import make_project
from tests.timeline.effects.acting import begun, finish, finished, read
from tests.timeline.effects.reading import (
    FOUND,
    HOUR,
    READ,
    SHARED,
    forget,
    look,
    made,
    runs,
)
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused
from tests.timeline.runs import begin as begin_in

pytestmark = pytest.mark.django_db


def found_later(run: Run, seconds: int, **cache: Any) -> bool:
    """Whether the call has to be made by a clock that is ahead by so much."""
    effect = timeline.NewEffect(
        key=f"later-{seconds}",
        tool="find_flights",
        arguments={"to": "OSL"},
        effect_class="read",
        cache=timeline.Cache(**cache),
    )
    act = act_in(project_of(run), now=timezone.now() + timedelta(seconds=seconds))
    return timeline.begin_effect(act=act, session_id=run.id, effect=effect).run


def project_of(run: Run) -> Project:
    return Project.objects.get(id=Session.objects.get(id=run.id).project_id)


# -- what answers


def test_a_result_answers_the_same_call_under_another_key(run: Run) -> None:
    effect = made(run)

    answer = look(run, "second")

    body = answer.body
    assert (answer.status, body["run"], body["status"]) == (200, False, "reused")
    assert body["result"] == FOUND["result"]
    assert body["external_id"] == "q-9"
    assert body["source"] == {
        "session_id": run.id,
        "effect_id": effect["id"],
        "version": 2,
        "made_at": effect["updated_at"],
    }


def test_what_is_answered_is_an_effect_of_one_step(run: Run) -> None:
    made(run)

    body = look(run, "second").body

    (step,) = EffectStep.objects.filter(effect_id=body["id"])
    assert step.status == "reused"
    shown = read(run, body)
    assert (shown["key"], shown["status"]) == ("second", "reused")
    assert shown["source"] == body["source"]
    assert [one["id"] for one in run.get("effects", status="reused")["data"]] == [
        body["id"]
    ]
    assert Event.objects.filter(action="effect.reused").count() == 1


def test_the_same_key_answers_the_same_whatever_became_of_the_result(run: Run) -> None:
    made(run)
    first = look(run, "second").body
    forget(run, all=True)

    again = look(run, "second").body
    without = look(run, "second", cache=None).body

    assert first == again == without
    assert Effect.objects.count() == 2


def test_a_lost_answer_is_repeated_byte_for_byte(run: Run) -> None:
    made(run)
    body = {"key": "second", "cache": HOUR, **READ}

    first, again = (
        run.client.post(run.path("effects"), body, **{"Idempotency-Key": "try-1"})
        for _ in range(2)
    )

    assert first.content == again.content
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_result_that_is_named_by_its_place_answers_so(run: Run) -> None:
    effect = look(run, "first").body
    place = {"result_reference": "s3://results/1", "result_digest": "sha256:1"}
    finished(run, effect, result=None, **place)

    body = look(run, "second").body

    assert (body["result"], body["external_id"]) == (None, "smtp-9")
    assert {name: body[name] for name in place} == place


def test_the_newest_result_answers(run: Run) -> None:
    made(run)
    finished(run, begun(run, key="again", **READ), result="newer")

    assert look(run, "second").body["result"] == "newer"


# -- what does not


@pytest.mark.parametrize(
    "other",
    [{"tool": "find_trains"}, {"arguments": {"to": "BGO"}}, {"cache": None}],
)
def test_another_call_runs_and_so_does_who_does_not_ask(run: Run, other: Any) -> None:
    made(run)

    assert runs(run, "second", **other)


def test_what_is_too_old_runs(run: Run) -> None:
    made(run)

    assert not found_later(run, 50, ttl=60)
    assert found_later(run, 100, ttl=60)


@pytest.mark.parametrize("status", ["failed", "unknown"])
def test_what_is_not_done_answers_nobody(run: Run, status: str) -> None:
    effect = look(run, "first").body
    finished(run, effect, status=status, result=None, external_id=None)

    assert runs(run, "second")


def test_what_is_on_its_way_answers_nobody(run: Run) -> None:
    assert runs(run, "first")
    assert runs(run, "second")


def test_what_was_tried_before_is_tried_again_under_its_key(run: Run) -> None:
    effect = look(run, "first").body
    finished(run, effect, status="failed", result=None, external_id=None)
    made(run, "other")

    again = look(run, "first").body

    assert (again["run"], again["attempt"]) == (True, 2)


def test_what_is_answered_cannot_be_finished(run: Run) -> None:
    made(run)
    body = look(run, "second").body

    assert_refused(finish(run, body), 409, "effect_finished")
    assert read(run, body)["status"] == "reused"


def test_a_paused_session_is_not_answered(run: Run) -> None:
    made(run)
    run.hold("pause")

    assert_refused(look(run, "second"), 423, "session_paused")


def test_what_was_decided_on_what_is_set_aside_is_not_answered(run: Run) -> None:
    made(run)
    run.rollback(0)

    answer = look(run, "second", number=2, cache=HOUR | {"set_aside": True})

    assert_refused(answer, 409, "version_set_aside", "number")


# -- what a rollback has set aside


def test_what_a_rollback_has_set_aside_answers_only_who_asks_for_it(run: Run) -> None:
    made(run)
    run.rollback(1)

    assert runs(run, "second")
    asked = look(run, "third", cache=HOUR | {"set_aside": True}).body
    assert asked["result"] == FOUND["result"]


def test_what_the_restored_state_may_know_answers(run: Run) -> None:
    made(run)
    run.patch({"n": 3})
    run.patch({"n": 4})
    run.rollback(3)

    assert not runs(run, "second")


def test_what_was_made_on_the_restored_version_is_set_aside(run: Run) -> None:
    made(run)
    run.patch({"n": 3})
    run.rollback(2)

    assert runs(run, "second")


def test_what_is_brought_back_answers_again(run: Run) -> None:
    made(run)
    run.patch({"n": 3})
    run.rollback(1)
    run.post("undo", {})

    assert [one["key"] for one in run.get("results")["data"]] == ["first"]
    assert not runs(run, "second")


def test_a_rollback_does_not_cross_what_was_answered(run: Run) -> None:
    run.patch({"n": 3})
    made(run)
    assert not runs(run, "second")

    run.patch({"n": 4})
    body = run.rollback(1)

    assert body["effects_crossed"] == 0
    assert run.get("compensations")["data"] == []


# -- forks


def test_a_fork_is_answered_by_its_origin_up_to_where_it_began(run: Run) -> None:
    made(run)
    run.patch({"n": 3})
    fork = run.fork(version=3)
    made(run, "later", arguments={"to": "BGO"})

    assert not runs(fork, "second")
    assert runs(fork, "third", arguments={"to": "BGO"})


def test_a_fork_is_not_answered_by_what_its_version_cannot_know(run: Run) -> None:
    made(run)
    run.patch({"n": 3})

    assert runs(run.fork(version=2), "second")
    assert runs(run.fork(version=1), "second")


def test_a_fork_of_a_fork_is_answered_by_both(run: Run) -> None:
    made(run)
    run.patch({"n": 3})
    fork = run.fork(version=3)
    fork.patch({"n": 4})

    assert not runs(fork.fork(version=1), "second")


def test_a_fork_for_another_agent_is_not_answered(run: Run, begin: Begin) -> None:
    made(run)
    run.patch({"n": 3})
    fork = run.fork(version=3)
    begin({}, agent_id="other")
    other = Agent.objects.get(external_id="other")
    with acting_as(Role.OWNER):
        Session.objects.filter(id=fork.id).update(agent=other)

    assert runs(fork, "second")


# -- the agent's other sessions


def test_the_agents_other_sessions_are_answered_by_what_is_offered(
    run: Run, begin: Begin
) -> None:
    effect = made(run, cache=SHARED)

    body = look(begin({}), "second", cache=SHARED).body

    assert (body["run"], body["result"]) == (False, FOUND["result"])
    assert body["source"]["session_id"] == run.id
    assert body["source"]["effect_id"] == effect["id"]


@pytest.mark.parametrize(("offered", "asked"), [(HOUR, SHARED), (SHARED, HOUR)])
def test_both_have_to_mean_the_agent(
    run: Run, begin: Begin, offered: Any, asked: Any
) -> None:
    made(run, cache=offered)

    assert runs(begin({}), "second", cache=asked)


def test_what_is_answered_is_not_offered_on(run: Run, begin: Begin) -> None:
    made(run, cache=SHARED)
    second = begin({})
    assert not runs(second, "second", cache=SHARED)

    body = look(begin({}), "third", cache=SHARED).body

    assert body["source"]["session_id"] == run.id


def test_another_agent_is_not_answered(run: Run, begin: Begin) -> None:
    made(run, cache=SHARED)

    assert runs(begin({}, agent_id="other"), "second", cache=SHARED)


def test_another_project_is_not_answered(
    run: Run, api: Clients, make_key: Keys
) -> None:
    made(run, cache=SHARED)
    stranger = begin_in(api(make_key(project=make_project("theirs"))), {})

    assert runs(stranger, "second", cache=SHARED)
    assert stranger.client.get("/v1/agents/travel/results").body["data"] == []


@pytest.mark.parametrize("ending", ["rollback", "delete"])
def test_what_is_set_aside_or_gone_there_is_not_offered(
    run: Run, begin: Begin, ending: str
) -> None:
    made(run, cache=SHARED)
    if ending == "rollback":
        run.rollback(1)
    else:
        run.client.send("DELETE", run.path())

    assert runs(begin({}), "second", cache=SHARED)


def test_the_newest_that_is_offered_counts(run: Run, begin: Begin) -> None:
    first = look(run, "first", cache=SHARED).body
    other = begin({})
    later = look(other, "later", cache=SHARED).body
    finished(other, later, result="later")
    finished(run, first, result="earlier")

    assert look(begin({}), "third", cache=SHARED).body["result"] == "later"


# -- lists


def test_results_are_listed_newest_first_by_pages(run: Run) -> None:
    for n in range(5):
        made(run, f"k{n}", arguments={"n": n})

    first = run.get("results", limit=2)
    second = run.get("results", limit=3, starting_after=first["last_id"])

    keys = [one["key"] for page in (first, second) for one in page["data"]]
    assert keys == ["k4", "k3", "k2", "k1", "k0"]
    assert (first["has_more"], second["has_more"]) == (True, False)


def test_a_result_says_what_it_is_and_how_often_it_has_answered(run: Run) -> None:
    effect = made(run)
    for key in ("second", "third"):
        assert not runs(run, key)

    (body,) = run.get("results")["data"]

    assert body["id"] == effect["id"]
    assert (body["tool"], body["arguments"]) == ("find_flights", {"to": "OSL"})
    assert (body["result"], body["reused"]) == (FOUND["result"], 2)
    assert (body["scope"], body["version"]) == ("session", 2)


def test_lists_have_only_what_may_answer(run: Run) -> None:
    finished(run, begun(run))
    look(run, "open")
    made(run, "kept", arguments={"n": 1})
    made(run, "gone", arguments={"n": 2})
    forget(run, key="gone")

    assert [one["key"] for one in run.get("results")["data"]] == ["kept"]
    assert run.get("results", tool="send_mail")["data"] == []


def test_lists_leave_out_what_is_older_than_asked(run: Run) -> None:
    made(run)
    later = timezone.now() + timedelta(seconds=100)
    about = {"project_id": project_of(run).id, "now": later, "limit": 5}

    def count(seconds: int) -> int:
        since = later - timedelta(seconds=seconds)
        return len(session_results(run.id, since=since, **about))

    assert len(run.get("results", ttl=60)["data"]) == 1
    assert (count(60), count(200)) == (0, 1)


def test_an_agent_lists_what_its_sessions_offer(run: Run, begin: Begin) -> None:
    made(run, "own")
    ends = [begin({}) for _ in range(3)]
    for n, one in enumerate(ends):
        one.patch({"n": 1})
        made(one, f"k{n}", cache=SHARED, arguments={"n": n})
    made(ends[1], "again", cache=SHARED, arguments={"n": 9})
    ends[2].client.send("DELETE", ends[2].path())

    def page(**query: Any) -> Any:
        return run.client.get("/v1/agents/travel/results", query).body

    assert [one["key"] for one in page()["data"]] == ["again", "k1", "k0"]
    ends[1].rollback(0)
    assert [one["key"] for one in page()["data"]] == ["k0"]
    assert page()["data"][0]["scope"] == "agent"
    assert page(tool="other")["data"] == []
    assert [one["key"] for one in page(limit=1)["data"]] == ["k0"]


@pytest.mark.parametrize("where", ["/v1/agents/travel/results", "session"])
@pytest.mark.parametrize(
    ("query", "param"),
    [({"key": "a"}, "key"), ({"ttl": 0}, "ttl"), ({"ttl": "x"}, "ttl")],
)
def test_a_filter_that_is_not_understood_is_refused(
    run: Run, where: str, query: Any, param: str
) -> None:
    path = run.path("results") if where == "session" else where

    answer = run.client.get(path, query)

    assert (answer.status, answer.param) == (400, param)


# -- forgetting


@pytest.mark.parametrize(
    "said",
    [
        {"all": True},
        {"tool": "find_flights"},
        {"tool": "find_flights", "arguments": {"to": "OSL"}},
        {"key": "first"},
    ],
)
def test_what_is_forgotten_runs_again(run: Run, said: Any) -> None:
    made(run)

    answer = forget(run, **said)

    assert answer.status == 200, answer.content
    assert answer.body["reason"] == "stale"
    assert runs(run, "second")
    assert run.get("results")["data"] == []
    assert read(run, {"id": Effect.objects.get(key="first").id})["status"] == "done"


@pytest.mark.parametrize(
    "said",
    [{"tool": "find_trains"}, {"tool": "find_flights", "arguments": {"to": "BGO"}}],
)
def test_other_results_stay(run: Run, said: Any) -> None:
    made(run)

    assert forget(run, **said).status == 200
    assert not runs(run, "second")


def test_what_is_made_afterwards_answers(run: Run) -> None:
    made(run)
    forget(run, all=True)
    made(run, "second")

    assert not runs(run, "third")


def test_what_was_on_its_way_is_forgotten_with_the_rest(run: Run) -> None:
    effect = look(run, "first").body
    forget(run, all=True)
    finished(run, effect, **FOUND)

    assert runs(run, "second")
    assert run.get("results")["data"] == []


def test_a_session_that_forgets_is_not_answered_by_others(
    run: Run, begin: Begin
) -> None:
    made(run, cache=SHARED)
    other = begin({})
    forget(other, tool="find_flights")

    assert runs(other, "second", cache=SHARED)
    assert not runs(begin({}), "third", cache=SHARED)


def test_what_a_session_forgets_it_offers_nobody(run: Run, begin: Begin) -> None:
    made(run, cache=SHARED)
    forget(run, all=True)

    assert runs(begin({}), "second", cache=SHARED)
    assert run.client.get("/v1/agents/travel/results").body["data"] == []


@pytest.mark.parametrize(
    "said", [{"all": True}, {"tool": "find_flights", "arguments": {"to": "OSL"}}]
)
def test_an_agent_forgets_for_all_its_sessions(
    run: Run, begin: Begin, said: Any
) -> None:
    made(run, cache=SHARED)

    body = {"reason": "The tool was wrong.", **said}
    answer = run.client.post("/v1/agents/travel/results/forget", body)

    assert answer.status == 200, answer.content
    assert runs(run, "second")
    assert runs(begin({}), "third", cache=SHARED)
    assert run.get("results")["data"] == []


def test_another_agents_forgetting_changes_nothing(run: Run, begin: Begin) -> None:
    made(run)
    begin({}, agent_id="other")

    path = "/v1/agents/other/results/forget"
    assert run.client.post(path, {"reason": "x", "all": True}).status == 200
    assert not runs(run, "second")


def test_forgetting_is_recorded_and_says_nothing_of_the_call(run: Run) -> None:
    made(run)
    forget(run, tool="find_flights")

    (event,) = Event.objects.filter(action="results.forgotten")
    assert (event.resource_type, event.resource_id) == ("session", run.id)
    assert event.details == {"by": "tool"}
    assert Forgetting.objects.get().reason == "stale"


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ({}, "tool"),
        ({"all": False}, "tool"),
        ({"all": True, "tool": "x"}, "all"),
        ({"tool": "x", "key": "y"}, "tool"),
        ({"arguments": {}, "all": True}, "arguments"),
        ({"all": True, "reason": " "}, "reason"),
        ({"all": True, "reason": "r" * 2001}, "reason"),
        ({"tool": "t" * 201}, "tool"),
        ({"all": 1}, "all"),
        ({"everything": True}, "everything"),
    ],
)
def test_a_forgetting_that_is_not_understood_is_refused(
    run: Run, said: Any, param: str
) -> None:
    answer = forget(run, **said)

    assert (answer.status, answer.param) == (400, param), answer.content
    assert not Forgetting.objects.exists()


def test_a_key_that_nothing_was_begun_under_cannot_be_forgotten(run: Run) -> None:
    assert_refused(forget(run, key="nothing"), 404, "effect_not_found", "key")


def test_an_agent_forgets_by_no_key(run: Run) -> None:
    body = {"reason": "x", "key": "first"}
    answer = run.client.post("/v1/agents/travel/results/forget", body)

    assert (answer.status, answer.param) == (400, "key")


# -- who


FORGET_ALL = {"all": True, "reason": "stale"}


def test_a_key_for_other_agents_finds_nothing(
    run: Run, api: Clients, make_key: Keys
) -> None:
    made(run, cache=SHARED)
    other = api(make_key(agents=["billing"]))

    for path, code in (
        ("/v1/agents/travel/results", "agent_not_found"),
        (run.path("results"), "session_not_found"),
    ):
        assert_refused(other.get(path), 404, code)
        assert_refused(other.post(f"{path}/forget", FORGET_ALL), 404, code)
    assert not runs(run, "second")


def test_a_key_that_reads_forgets_nothing(
    run: Run, api: Clients, make_key: Keys
) -> None:
    made(run, cache=SHARED)
    reader = api(make_key(scope="read"))

    for path in ("/v1/agents/travel/results", run.path("results")):
        assert len(reader.get(path).body["data"]) == 1
        answer = reader.post(f"{path}/forget", FORGET_ALL)
        assert_refused(answer, 403, "permission_denied")
        assert api(None).get(path).status == 401
        assert api(None).post(f"{path}/forget", FORGET_ALL).status == 401
        assert run.client.put(path, {}).status == 405
    assert not runs(run, "second")


# -- bad input


@pytest.mark.parametrize(
    ("cache", "param"),
    [
        ({"ttl": 0}, "cache.ttl"),
        ({"ttl": -1}, "cache.ttl"),
        ({"ttl": True}, "cache.ttl"),
        ({"ttl": 1.5}, "cache.ttl"),
        ({"ttl": "60"}, "cache.ttl"),
        ({"ttl": None}, "cache.ttl"),
        ({"ttl": 10**9}, "cache.ttl"),
        ({"ttl": 2**62}, "cache.ttl"),
        ({}, "cache.ttl"),
        ({"ttl": 60, "scope": "project"}, "cache.scope"),
        ({"ttl": 60, "scope": 1}, "cache.scope"),
        ({"ttl": 60, "set_aside": "yes"}, "cache.set_aside"),
    ],
)
def test_a_cache_that_is_not_understood_is_refused_at_its_place(
    run: Run, cache: Any, param: str
) -> None:
    assert_refused(look(run, "first", cache=cache), 422, "cache_invalid", param)
    assert not Effect.objects.exists()


@pytest.mark.parametrize("cache", [60, [60], "hour"])
def test_a_cache_is_an_object(run: Run, cache: Any) -> None:
    answer = look(run, "first", cache=cache)

    assert (answer.status, answer.param) == (400, "cache")


def test_a_member_that_a_cache_does_not_have_is_refused(run: Run) -> None:
    answer = look(run, "first", cache={"ttl": 60, "max_age": 1})

    assert_refused(answer, 422, "cache_invalid", "cache.max_age")


@pytest.mark.parametrize("said", [None, "reversible", "compensable", "irreversible"])
def test_only_what_reads_is_answered_from_the_record(run: Run, said: Any) -> None:
    answer = look(run, "first", **{"class": said})

    assert_refused(answer, 422, "cache_invalid", "cache")
