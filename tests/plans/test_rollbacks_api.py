"""Rollbacks of many sessions over REST: planned, picked, confirmed, followed."""

import pytest
from django.utils import timezone

from apps.accounts.models import Scope
from apps.incidents import looking
from apps.plans import running
from apps.timeline.models import Session
from tests.console.make import Story
from tests.plans.test_rolling_back import begin, heads, story

pytestmark = pytest.mark.django_db
CHECK = {"check": "NOT state.bad=true"}


def sweep():
    running.sweep(now=timezone.now())


def planned(client, ids, target=None, **more):
    body = {"kind": "rollback", "sessions": ids, "target": target or CHECK} | more
    answer = client.post("/v1/plans", body)
    assert answer.status == 201, answer.content
    return answer.body


def counts(plan):
    return {state: n for state, n in plan["counts"].items() if n}


def test_what_would_be_done_is_told_and_then_done(api, project):
    client, made, sent = api(), story(project), story(project)
    begin(sent, "irreversible")

    plan = planned(client, [made.id, sent.id])

    assert (plan["status"], plan["target"]) == ("draft", {"rule": "check", **CHECK})
    assert plan["verdicts"] == {"clean": 1, "look": 1}
    assert counts(plan) == {"planned": 1, "unpicked": 1}
    clean, look = plan["items"]
    assert (clean["version"], clean["target"], clean["verdict"]) == (3, 2, "clean")
    assert (clean["about"]["changes"], clean["about"]["set_aside"]) == (1, 1)
    assert (look["code"], look["about"]["grave"]) == ("effects_unconfirmed", 1)

    path = f"/v1/plans/{plan['id']}"
    body = {"reason": "Bad release.", "digest": plan["digest"]}
    assert client.post(f"{path}/confirm", body).status == 200
    sweep()

    over = client.get(path).body
    assert counts(over) == {"done": 1, "unpicked": 1}
    assert over["items"][0]["result_version"] == 4
    undo = client.post(f"{path}/undo").body
    assert undo["kind"] == "unrollback"
    client.post(f"/v1/plans/{undo['id']}/confirm", {})
    sweep()
    assert counts(client.get(path).body) == {"undone": 1, "unpicked": 1}
    assert heads([made.id]) == [5]


def test_it_is_not_run_without_its_digest_or_by_an_old_one(api, project):
    client, one, other = api(), story(project), story(project)
    plan = planned(client, [one.id, other.id])
    path = f"/v1/plans/{plan['id']}"

    bare = client.post(f"{path}/confirm", {})
    changed = client.patch(path, {"unpick": [other.id]})
    stale = client.post(f"{path}/confirm", {"digest": plan["digest"]})

    assert (bare.status, bare.param) == (400, "digest")
    assert counts(changed.body) == {"planned": 1, "unpicked": 1}
    assert (stale.status, stale.code) == (409, "plan_changed")
    fresh = {"digest": changed.body["digest"]}
    assert client.post(f"{path}/confirm", fresh).status == 200


def test_it_is_paused_paced_and_stopped(api, project):
    client, ids = api(), [story(project).id for _ in range(2)]
    plan = planned(client, ids)
    path = f"/v1/plans/{plan['id']}"
    early = client.patch(path, {"status": "paused"})
    assert (early.status, early.code) == (409, "plan_not_running")
    client.post(f"{path}/confirm", {"digest": plan["digest"], "pace": 1})
    sweep()

    assert client.patch(path, {"status": "paused"}).body["status"] == "paused"
    assert client.patch(path, {"pace": 60}).body["pace"] == 60
    sweep()
    over = client.patch(path, {"status": "stopped"}).body

    assert (over["status"], counts(over)) == ("finished", {"done": 1, "stopped": 1})
    assert client.patch(path, {"status": "running"}).code == "plan_not_running"


def test_what_cannot_be_undone_takes_a_word(api, project):
    client, sent = api(), story(project)
    begin(sent, "irreversible")
    plan = planned(client, [sent.id])
    path = f"/v1/plans/{plan['id']}"
    picked = client.patch(path, {"pick_verdict": "look"}).body

    refused = client.post(f"{path}/confirm", {"digest": picked["digest"]})
    assert (refused.status, refused.code) == (422, "effects_unconfirmed")
    said = {"digest": picked["digest"], "crosses": True}
    assert client.post(f"{path}/confirm", said).status == 200


def test_a_project_that_requires_reasons_requires_one(api, make_key, project):
    client, plan = api(make_key(Scope.ADMIN)), planned(api(), [story(project).id])
    client.patch("/v1/project", {"needs_rollback_reason": True})
    said = {"digest": plan["digest"]}

    refused = client.post(f"/v1/plans/{plan['id']}/confirm", said | {"reason": " "})

    assert (refused.code, refused.param) == ("reason_required", "reason")


@pytest.mark.parametrize(
    ("target", "param"),
    [
        (None, "target"),
        ({}, "target"),
        ({"check": "state.n=1", "label": "x"}, "target"),
        ({"check": "staet.n=1"}, "check"),
        ({"before": "yesterday"}, "before"),
        ({"release": " "}, "release"),
        ({"label": "a\nb"}, "label"),
        ({"versions": {"sess_x": 1}}, "versions"),
    ],
)
def test_a_target_that_does_not_fit_is_refused_at_its_place(
    api, project, target, param
):
    body = {"kind": "rollback", "sessions": [story(project).id], "target": target}

    answer = api().post("/v1/plans", body)

    assert (answer.status, answer.param) == (400, param)


def test_a_target_is_for_rollbacks_alone(api, project):
    body = {"kind": "hold", "sessions": [story(project).id], "target": CHECK}

    answer = api().post("/v1/plans", body)

    assert (answer.status, answer.param) == (400, "target")


def test_items_are_listed_page_by_page_and_by_state(api, project):
    client, closed = api(), story(project).close()
    ids = [story(project).id, closed.id, story(project).id]
    path = f"/v1/plans/{planned(client, ids)['id']}/items"

    first = client.get(path, {"limit": 2}).body
    second = client.get(path, {"starting_after": first["last_id"]}).body
    left = client.get(path, {"state": "left_out"}).body["data"]

    listed = [*first["data"], *second["data"]]
    assert [one["session_id"] for one in listed] == ids
    assert [one["session_id"] for one in left] == [closed.id]
    assert client.get(path, {"state": "x"}).param == "state"


def test_an_incident_is_rolled_back_before_what_it_has_found(api, project):
    client, bad = api(), story(project)
    good = Story(project, {"n": 0}, now=timezone.now())
    body = {"title": "Lost", "sessions": [bad.id, good.id], **CHECK}
    incident = client.post("/v1/incidents", body).body
    path = f"/v1/incidents/{incident['id']}/plans"
    looking.sweep(now=timezone.now())

    plan = client.post(path, {"kind": "rollback"})

    assert (plan.status, plan.body["incident_id"]) == (201, incident["id"])
    assert plan.body["target"] == {"rule": "first_bad"}
    found = {one["session_id"]: one for one in plan.body["items"]}
    assert (found[bad.id]["target"], found[bad.id]["verdict"]) == (2, "clean")
    assert found[good.id]["code"] == "no_target"


def test_what_was_rolled_back_since_is_not_rolled_back_by_its_incident(api, project):
    client, mended, bad = api(), story(project), story(project)
    body = {"title": "Lost", "sessions": [mended.id, bad.id], **CHECK}
    incident = client.post("/v1/incidents", body).body
    looking.sweep(now=timezone.now())
    mended.rollback(1).update({"n": 7})

    made = client.post(f"/v1/incidents/{incident['id']}/plans", {"kind": "rollback"})

    found = {one["session_id"]: one for one in made.body["items"]}
    assert found[mended.id]["code"] == "no_target"
    assert "set aside" in found[mended.id]["why"]
    assert found[mended.id]["state"] == "left_out"
    assert (found[bad.id]["target"], found[bad.id]["verdict"]) == (2, "clean")


def test_an_incident_without_a_check_takes_a_target(api, project):
    client, bad = api(), story(project)
    body = {"title": "Lost", "sessions": [bad.id]}
    path = f"/v1/incidents/{client.post('/v1/incidents', body).body['id']}/plans"

    refused = client.post(path, {"kind": "rollback"})
    assert (refused.status, refused.code) == (422, "unacceptable_incident")
    made = client.post(path, {"kind": "rollback", "target": CHECK})
    assert [one["target"] for one in made.body["items"]] == [2]
    assert client.post(path, {"kind": "hold"}).body["kind"] == "hold"


@pytest.mark.parametrize("name", ["pick", "unpick"])
def test_who_picks_none_is_told_where(api, project, name):
    client = api()
    plan = planned(client, [story(project).id])

    answer = client.patch(f"/v1/plans/{plan['id']}", {name: []})

    assert (answer.status, answer.param) == (400, name)


@pytest.mark.parametrize("version", [2**63, -1, True, "1", 1.5, None])
def test_a_version_that_is_none_is_refused(api, project, version):
    client, one = api(), story(project)
    target = {"versions": {one.id: version}}
    body = {"kind": "rollback", "sessions": [one.id], "target": target}

    assert client.post("/v1/plans", body).status in (400, 422)


def test_readers_strangers_and_nobody_plan_nothing(
    api, make_key, project, other_project
):
    client, made = api(), story(project)
    plan = planned(client, [made.id])
    incident = client.post("/v1/incidents", {"title": "x", "sessions": [made.id]}).body
    paths = [
        ("PATCH", f"/v1/plans/{plan['id']}", {"pick_verdict": "look"}),
        ("POST", f"/v1/plans/{plan['id']}/look", None),
        ("POST", f"/v1/incidents/{incident['id']}/plans", {"kind": "hold"}),
    ]
    reader = api(make_key(Scope.READ))
    stranger = api(make_key(project=other_project))

    for method, path, body in paths:
        assert reader.send(method, path, body).status == 403
        assert stranger.send(method, path, body).status == 404
        assert api(None).send(method, path, body).status == 401
        assert client.send("DELETE", path).status == 405
    items = f"/v1/plans/{plan['id']}/items"
    assert reader.get(items).status == 200
    assert stranger.get(items).status == 404
    assert Session.objects.get(id=made.id).head_number == 3


def test_a_limited_key_plans_only_what_it_sees(api, make_key, project):
    client, mine, other = api(), story(project), story(project, agent="other")
    body = {"title": "x", "sessions": [mine.id, other.id]}
    incident = client.post("/v1/incidents", body).body
    limited = api(make_key(agents=["travel-agent"]))

    made = limited.post(
        f"/v1/incidents/{incident['id']}/plans",
        {"kind": "rollback", "target": CHECK},
    )

    assert [one["session_id"] for one in made.body["items"]] == [mine.id]
