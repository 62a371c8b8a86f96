"""Guards while a session is written to: found with the write, and what is done."""

import pytest

from apps.accounts.access import actor_of
from apps.approvals import operations as approvals
from apps.approvals.models import Approval
from apps.approvals.words import Verdict
from apps.audit.models import Event
from apps.guards.detecting import detectors
from apps.guards.words import Kind
from apps.timeline import hooks, verification
from apps.timeline import operations as timeline
from apps.timeline.models import Session
from apps.timeline.operations import Step
from tests.acts import act_in
from tests.guards.make import CORRUPTED, TRIP, forget, guard, verdicts
from tests.timeline import runs
from tests.timeline.runs import assert_refused, succeeded

pytestmark = pytest.mark.django_db


def told() -> list[tuple[int, str, str]]:
    return [
        (one.details["version"], one.details["mode"], one.details["did"])
        for one in Event.objects.filter(action="guard.failed").order_by("id")
    ]


def status(run) -> str:
    return str(Session.objects.get(id=run.id).status)


def test_the_guides_corruption_is_found_by_a_null_spree(admin, run):
    guard(admin)

    run.patch(CORRUPTED)
    run.patch({"note": "nothing turned null"})

    assert verdicts(run) == [(1, "null_spree", "failed", "nothing")]
    assert told() == []


def test_a_guard_that_flags_tells_of_it(admin, run):
    guard(admin, mode="flag")

    run.patch(CORRUPTED)

    assert verdicts(run) == [(1, "null_spree", "failed", "flagged")]
    assert told() == [(1, "flag", "flagged")]


def test_a_guard_that_refuses_stores_nothing(admin, run):
    made = guard(admin, mode="refuse")

    answer = run.client.send("PATCH", run.path("state"), {"state": CORRUPTED})

    assert_refused(answer, 422, "guard_refused")
    (refused,) = answer.body["error"]["guards"]
    assert refused["guard_id"] == made["id"]
    assert refused["places"] == ["/destination", "/dates"]
    assert refused["reason"] == "2 values turned null: /destination, /dates"
    assert (run.head, run.state) == (0, TRIP)


def test_a_guard_that_holds_pauses_in_the_same_version(admin, run):
    guard(admin, mode="hold")

    run.patch(CORRUPTED)

    assert (run.head, status(run)) == (1, "paused")
    assert verdicts(run) == [(1, "null_spree", "failed", "held")]
    assert not list(verification.findings(run.id))
    answer = run.client.send("PATCH", run.path("state"), {"state": {"a": 1}})
    assert_refused(answer, 423, "session_paused")


def test_a_guard_that_steps_back_stops_itself_at_the_fourth(admin, run):
    guard(admin, mode="step_back")

    for _ in range(3):
        run.patch(CORRUPTED)
        assert (run.state, status(run)) == (TRIP, "active")
    run.patch(CORRUPTED)

    assert (run.state, status(run)) == (CORRUPTED, "paused")
    assert [one[3] for one in verdicts(run)] == ["held", *["stepped_back"] * 3]
    assert [one[2] for one in told()] == [*["stepped_back"] * 3, "held"]


def test_a_guard_that_asks_pauses_and_goes_on_when_people_let_it(admin, run):
    guard(admin, mode="ask")

    run.patch(CORRUPTED)

    assert status(run) == "paused"
    assert verdicts(run) == [(1, "null_spree", "failed", "asked")]
    approval = Approval.objects.get(session_id=run.id)
    assert approval.tool == "guard.pass"
    why = "v1 does not pass the guard null_spree: 2 values turned null."
    assert run.get("versions")["data"][0]["reasoning"] == why


def test_people_let_it_go_on(admin, run, ada, project):
    guard(admin, mode="ask")
    run.patch(CORRUPTED)

    vote(project, ada, run)

    assert (status(run), run.state) == ("active", CORRUPTED)


def test_what_people_do_is_told_of_and_never_held_back(admin, run, ada, project):
    guard(admin, mode="refuse")

    timeline.update(
        act=act_in(project, actor_of(ada)),
        session_id=run.id,
        patch=CORRUPTED,
        step=Step(),
    )

    assert verdicts(run) == [(1, "null_spree", "failed", "flagged")]


def test_a_batch_is_refused_whole_and_the_item_is_named(admin, run):
    guard(admin, mode="refuse")

    answer = batch(run, TRIP, CORRUPTED, TRIP)

    assert_refused(answer, 422, "guard_refused", "versions[1]")
    assert run.head == 0


def test_a_batch_is_stepped_back_to_before_the_first_that_fails(admin, run):
    guard(admin, mode="step_back")

    assert batch(run, {"n": 1}, CORRUPTED, TRIP, CORRUPTED).status == 201

    assert (run.head, run.state) == (5, {**TRIP, "n": 1})
    assert [one[0] for one in verdicts(run)] == [4, 2]


def test_a_reply_that_was_lost_is_told_what_was_stored(admin, run):
    guard(admin, mode="step_back")
    body = {"state": CORRUPTED}
    first = send(run, body, key="a")

    again = send(run, body, key="a")

    assert (first.status, again.status) == (200, 200)
    assert first.body["version"] == again.body["version"] == 1
    assert (run.head, run.state) == (2, TRIP)
    assert len(verdicts(run)) == 1


def test_a_refused_write_is_refused_again_by_its_key(admin, run):
    guard(admin, mode="refuse")

    for _ in range(2):
        answer = send(run, {"state": CORRUPTED}, key="a")
        assert_refused(answer, 422, "guard_refused")

    assert send(run, {"state": {"n": 1}}, key="b").status == 200


def test_a_new_session_and_a_fork_are_looked_at(admin, run, api):
    guard(admin, mode="refuse", kind="check", check="NOT state.destination=null")
    client = api()
    body = {"agent_id": "travel", "initial_state": CORRUPTED}

    assert_refused(client.post("/v1/sessions", body), 422, "guard_refused")
    assert_refused(
        client.post(run.path("fork"), {"state": {"destination": None}}),
        422,
        "guard_refused",
    )
    assert client.get("/v1/sessions").body["data"][0]["id"] == run.id


def test_a_session_that_begins_wrong_is_held_at_once(admin, api):
    made = runs.begin(api(), TRIP)
    guard(admin, mode="hold", kind="check", check="NOT state.destination=null")

    wrong = runs.begin(api(), CORRUPTED)

    assert (status(made), status(wrong)) == ("active", "paused")
    assert verdicts(wrong) == [(0, "check", "failed", "held")]


def test_a_session_that_begins_wrong_cannot_be_stepped_back_and_is_held(admin, api):
    runs.begin(api(), TRIP)
    guard(admin, mode="step_back", kind="check", check="NOT state.destination=null")

    wrong = runs.begin(api(), CORRUPTED)

    assert status(wrong) == "paused"
    assert verdicts(wrong) == [(0, "check", "failed", "held")]


def test_a_rollback_to_a_bad_version_is_looked_at_like_any_write(admin, run):
    run.patch(CORRUPTED)
    run.put(TRIP)
    guard(admin, mode="refuse")

    answer = run.client.post(run.path("rollback"), {"version": 1})

    assert_refused(answer, 422, "guard_refused")
    assert run.state == TRIP


def test_what_a_fork_brings_back_passes_the_guards_too(admin, run):
    fork = run.fork()
    fork.patch(CORRUPTED)
    guard(admin, mode="refuse")

    body = {"fork": fork.id, "expected_version": 0}
    answer = run.client.post(run.path("promote"), body)

    assert_refused(answer, 422, "guard_refused")
    assert run.head == 0


def test_what_nobody_can_decide_is_kept_and_is_no_pass(admin, run):
    guard(admin, kind="check", check="EACH state.items (item.qty>0)")
    many = {"items": [{"qty": 1} for _ in range(4_000)]}

    run.put(many)

    assert verdicts(run) == [(1, "check", "undecided", "nothing")]


def test_what_nobody_can_decide_is_refused_by_a_guard_that_refuses(admin, run):
    guard(admin, kind="check", mode="refuse", check="EACH state.items (item.qty>0)")
    many = {"state": {"items": [{"qty": 1} for _ in range(4_000)]}}

    answer = run.client.send("PUT", run.path("state"), many)

    assert_refused(answer, 422, "guard_refused")
    (refused,) = answer.body["error"]["guards"]
    assert refused["outcome"] == "undecided"


def test_the_same_output_again_and_again_is_a_loop(admin, run):
    guard(admin, kind="loop", mode="hold", times=3)

    for _ in range(2):
        run.turn("Hi", "Hello")
    assert status(run) == "active"
    run.turn("Hi", "Hello")

    assert status(run) == "paused"
    assert verdicts(run) == [(0, "loop", "failed", "held")]


def test_tools_that_fail_too_often_are_found(admin, run):
    guard(admin, kind="failing_tools", mode="flag")

    for _ in range(4):
        run.turn(metadata={"tool_name": "pay", "success": False})

    assert [one[1:] for one in verdicts(run)] == [
        ("failing_tools", "failed", "flagged")
    ]


def test_an_agent_without_guards_is_not_judged(run, monkeypatch):
    def judged(*_):
        raise AssertionError("nobody has made a guard")

    monkeypatch.setitem(hooks.GUARDS, "guards", judged)

    run.patch(CORRUPTED)

    assert run.head == 1


def test_a_guard_that_was_withdrawn_looks_no_more(admin, run):
    made = guard(admin, mode="refuse")
    succeeded(admin.send("DELETE", f"/v1/guards/{made['id']}", {}))
    forget()

    run.patch(CORRUPTED)

    assert (run.state, verdicts(run)) == (CORRUPTED, [])


def test_a_guard_that_breaks_cannot_decide_and_loses_no_write(admin, run, monkeypatch):
    guard(admin)

    def broken(*_):
        raise RuntimeError("secret state")

    monkeypatch.setitem(detectors.DETECTORS, Kind.NULL_SPREE, broken)

    run.patch({"n": 1})

    assert verdicts(run) == [(1, "null_spree", "undecided", "nothing")]


def batch(run, *states):
    return run.client.post(
        run.path("versions"), {"versions": [{"state": one} for one in states]}
    )


def send(run, body, *, key):
    return run.client.send(
        "PATCH", run.path("state"), body, headers={"Idempotency-Key": key}
    )


def vote(project, person, run) -> None:
    approval = Approval.objects.get(session_id=run.id)
    approvals.vote(
        act=act_in(project, actor_of(person)),
        approval_id=approval.id,
        said=approvals.Said(verdict=Verdict.APPROVE),
    )
