"""Guards over REST: who may make them, what is refused, and what is not told."""

import pytest

from apps.accounts.models import Scope
from apps.guards.models import Guard, GuardRevision, Trial
from apps.guards.querysets import MOST_GUARDS
from tests.guards.make import CORRUPTED, guard, tried
from tests.timeline.runs import assert_refused, succeeded

pytestmark = pytest.mark.django_db

NEW = {"agent_id": "travel", "name": "Nulls", "kind": "null_spree"}


def test_a_guard_is_made_with_what_is_usual_and_observes(admin, run):
    made = succeeded(admin.post("/v1/guards", NEW)).body

    assert made["object"] == "guard"
    assert (made["mode"], made["revision"]) == ("observe", 1)
    assert (made["rule"], made["line"]) == ({"values": 2}, "2")
    assert made["words"] == "2 values or more turn null at once"
    assert made["trial_id"] is None
    assert succeeded(admin.get(f"/v1/guards/{made['id']}")).body == made


def test_guards_are_listed_newest_first_page_by_page(admin, run):
    ids = [guard(admin, name=f"g{i}")["id"] for i in range(3)]

    first = succeeded(admin.get("/v1/guards", {"limit": 2})).body
    rest = succeeded(
        admin.get("/v1/guards", {"limit": 2, "starting_after": first["last_id"]})
    ).body

    listed = [one["id"] for one in first["data"] + rest["data"]]
    assert listed == ids[::-1]
    assert succeeded(admin.get("/v1/guards", {"agent_id": "nobody"})).body["data"] == []


def test_the_newest_trial_of_its_revision_stands_with_it(admin, run):
    made = guard(admin)
    trial = tried(admin, made["id"])
    path = f"/v1/guards/{made['id']}"

    found = succeeded(admin.get(path)).body
    assert (found["trial_id"], found["trial_status"]) == (trial["id"], "done")
    changed = succeeded(admin.patch(path, {"rule": {"values": 9}})).body
    assert (changed["revision"], changed["trial_id"]) == (2, None)
    assert GuardRevision.objects.filter(guard_id=made["id"]).count() == 2


def test_the_same_rule_again_is_no_revision(admin, run):
    made = guard(admin)

    same = admin.patch(f"/v1/guards/{made['id']}", {"rule": {"values": 2}})

    assert succeeded(same).body["revision"] == 1


@pytest.mark.parametrize(
    ("body", "status", "code", "param"),
    [
        ({**NEW, "agent_id": "nobody"}, 404, "agent_not_found", None),
        ({**NEW, "kind": "magic"}, 400, "invalid_request", "kind"),
        ({**NEW, "name": " "}, 422, "unacceptable_guard", "name"),
        ({**NEW, "name": "n" * 101}, 422, "unacceptable_guard", "name"),
        ({**NEW, "rule": {"values": 0}}, 422, "unacceptable_guard", "rule.values"),
        ({**NEW, "rule": {"value": 2}}, 422, "unacceptable_guard", "rule.value"),
        ({**NEW, "mode": "refuse"}, 400, "unknown_field", "mode"),
        (
            {**NEW, "kind": "check", "rule": {"check": "state.a="}},
            422,
            "unacceptable_guard",
            "rule.check",
        ),
        ({"agent_id": "travel", "kind": "loop"}, 400, "invalid_request", "name"),
    ],
)
def test_what_is_no_guard_is_refused_with_the_place(
    admin, run, body, status, code, param
):
    assert_refused(admin.post("/v1/guards", body), status, code, param)
    assert not Guard.objects.exists()


def test_a_name_is_taken_once_and_free_again_when_it_is_withdrawn(admin, run):
    made = succeeded(admin.post("/v1/guards", NEW)).body

    assert_refused(admin.post("/v1/guards", NEW), 409, "guard_exists", "name")
    gone = succeeded(admin.delete(f"/v1/guards/{made['id']}")).body
    assert gone["withdrawn_at"] is not None
    succeeded(admin.post("/v1/guards", NEW))


def test_what_was_withdrawn_is_read_and_changed_no_more(admin, run):
    path = f"/v1/guards/{succeeded(admin.post('/v1/guards', NEW)).body['id']}"
    succeeded(admin.delete(path))

    assert succeeded(admin.get(path)).body["withdrawn_at"] is not None
    assert_refused(admin.patch(path, {"name": "x"}), 404, "guard_not_found")
    assert_refused(admin.delete(path), 404, "guard_not_found")
    assert_refused(admin.post(f"{path}/try", {}), 404, "guard_not_found")


def test_an_agent_has_so_many_guards_at_most(admin, run):
    for index in range(MOST_GUARDS):
        succeeded(admin.post("/v1/guards", {**NEW, "name": f"g{index}"}))

    answer = admin.post("/v1/guards", {**NEW, "name": "one more"})

    assert_refused(answer, 409, "too_many_guards")


def test_a_trial_that_waits_is_not_begun_twice(admin, run):
    path = f"/v1/guards/{succeeded(admin.post('/v1/guards', NEW)).body['id']}/try"

    first, again = admin.post(path, {}), admin.post(path, {})

    assert first.status == again.status == 202
    assert first.body["id"] == again.body["id"]
    assert Trial.objects.count() == 1


@pytest.mark.parametrize("days", [0, 91, "7", 1.5])
def test_a_trial_of_no_days_is_refused(admin, run, days):
    path = f"/v1/guards/{succeeded(admin.post('/v1/guards', NEW)).body['id']}/try"

    assert_refused(admin.post(path, {"days": days}), 400, "invalid_request", "days")


def test_agents_keys_read_guards_and_change_none(admin, run):
    made = guard(admin)
    path, client = f"/v1/guards/{made['id']}", run.client

    assert succeeded(client.get(path)).body["id"] == made["id"]
    for answer in (
        client.post("/v1/guards", NEW),
        client.patch(path, {"name": "x"}),
        client.delete(path),
        client.post(f"{path}/try", {}),
    ):
        assert_refused(answer, 403, "permission_denied")


def test_a_stranger_finds_no_guard_no_trial_and_no_verdict(admin, run, stranger):
    made = guard(admin)
    run.patch(CORRUPTED)
    trial = tried(admin, made["id"])
    path = f"/v1/guards/{made['id']}"

    for answer, code in (
        (stranger.get(path), "guard_not_found"),
        (stranger.patch(path, {"name": "x"}), "guard_not_found"),
        (stranger.delete(path), "guard_not_found"),
        (stranger.post(f"{path}/try", {}), "guard_not_found"),
        (stranger.get(f"{path}/try/{trial['id']}"), "guard_not_found"),
        (stranger.get(run.path("verdicts")), "session_not_found"),
        (stranger.post("/v1/guards", NEW), "agent_not_found"),
    ):
        assert_refused(answer, 404, code)
    assert succeeded(stranger.get("/v1/guards")).body["data"] == []


def test_a_key_of_another_agent_sees_none(admin, run, api, make_key):
    made = guard(admin)
    other = api(make_key(scope=Scope.ADMIN, agents=["billing"]))

    assert_refused(other.get(f"/v1/guards/{made['id']}"), 404, "guard_not_found")
    assert succeeded(other.get("/v1/guards")).body["data"] == []


def test_a_trial_of_another_guard_is_not_found(admin, run):
    one, other = guard(admin), guard(admin, name="other")
    trial = tried(admin, one["id"])

    answer = admin.get(f"/v1/guards/{other['id']}/try/{trial['id']}")

    assert_refused(answer, 404, "trial_not_found")


def test_verdicts_are_listed_page_by_page(admin, run):
    guard(admin, kind="check", check="state.n<0")
    for number in range(3):
        run.patch({"n": number})

    first = run.get("verdicts", limit=2)
    rest = run.get("verdicts", limit=2, starting_after=first["last_id"])

    assert [one["version"] for one in first["data"] + rest["data"]] == [3, 2, 1]
    assert_refused(
        run.client.get(run.path("verdicts"), {"starting_after": "x"}),
        400,
        "invalid_request",
        "starting_after",
    )
