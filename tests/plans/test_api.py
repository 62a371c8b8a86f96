"""Plans over REST: made, confirmed, followed, tried again, undone."""

import io
import json
import zipfile

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import Scope
from apps.plans import running
from apps.plans.models import Plan
from apps.plans.operations import MOST
from apps.timeline.models import Version
from tests.console.make import Story
from tests.plans.make import make_sessions, statuses

pytestmark = pytest.mark.django_db


def sweep():
    running.sweep(now=timezone.now())


def made(client, **body):
    answer = client.post("/v1/plans", body)
    assert answer.status == 201, answer.content
    return answer.body


def test_sessions_are_held_and_resumed_again(api, project):
    client, ids = api(), make_sessions(project, 2)

    plan = made(client, kind="hold", sessions=ids)
    assert plan["status"] == "draft"
    assert {state: n for state, n in plan["counts"].items() if n} == {"planned": 2}
    path = f"/v1/plans/{plan['id']}"
    confirmed = client.post(f"{path}/confirm", {"reason": "bad release"})
    assert (confirmed.status, confirmed.body["status"]) == (200, "running")
    sweep()

    over = client.get(path).body
    assert over["status"] == "finished"
    assert [one["result_version"] for one in over["items"]] == [1, 1]
    assert statuses(ids) == ["paused", "paused"]
    undo = client.post(f"{path}/undo").body
    assert (undo["kind"], undo["undo_of"]) == ("resume", plan["id"])
    client.post(f"/v1/plans/{undo['id']}/confirm", {})
    sweep()
    assert statuses(ids) == ["active", "active"]


def test_sessions_are_reviewed_and_it_is_taken_back(api, project):
    client, ids = api(), make_sessions(project, 2)
    plan = made(client, kind="review", sessions=ids, outcome="failed")
    assert (plan["outcome"], plan["label"]) == ("failed", None)
    path = f"/v1/plans/{plan['id']}"
    client.post(f"{path}/confirm", {"reason": "bad release"})
    sweep()
    failed = client.get("/v1/sessions", {"review": "failed"}).body["data"]
    assert {one["id"] for one in failed} == set(ids)

    undo = client.post(f"{path}/undo").body
    client.post(f"/v1/plans/{undo['id']}/confirm", {})
    sweep()

    assert undo["kind"] == "unreview"
    assert client.get("/v1/sessions", {"review": "failed"}).body["data"] == []


def test_the_first_of_a_search_are_labelled(api, project):
    client, ids = api(), make_sessions(project, 2)
    Story(project, agent="other")

    plan = made(client, kind="label", q="agent:travel-agent", label="seen")

    assert {one["session_id"] for one in plan["items"]} == set(ids)
    assert (plan["q"], plan["has_more"]) == ("agent:travel-agent", False)
    assert plan["label"] == "seen"


def test_a_search_that_grows_or_shrinks_meanwhile_changes_nothing(api, project):
    client, ids = api(), make_sessions(project, 3)
    plan = made(client, kind="hold", q="agent:travel-agent status:active")
    # It would find a fourth by now, and the first no more.
    later = Story(project, now=timezone.now())
    client.post(f"/v1/sessions/{ids[0]}/pause", {})

    client.post(f"/v1/plans/{plan['id']}/confirm", {})
    sweep()

    over = client.get(f"/v1/plans/{plan['id']}").body
    assert {one["session_id"]: one["state"] for one in over["items"]} == {
        ids[0]: "left_out",
        ids[1]: "done",
        ids[2]: "done",
    }
    assert statuses([later.id]) == ["active"]


def test_of_more_than_500_the_first_are_planned_and_it_says_so(api, project):
    client, ids = api(), make_sessions(project, MOST + 1)

    plan = made(client, kind="hold", q="agent:travel-agent")

    # Newest first, as the search finds them.
    assert [one["session_id"] for one in plan["items"]] == ids[:0:-1]
    assert plan["counts"]["planned"] == MOST
    assert plan["has_more"] is True
    named = client.post("/v1/plans", {"kind": "hold", "sessions": ids})
    assert (named.status, named.param) == (400, "sessions")
    assert "500" in named.body["error"]["message"]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"kind": "hold"}, "sessions"),
        ({"kind": "hold", "sessions": [], "q": "age<2h"}, "sessions"),
        ({"kind": "hold", "sessions": []}, "sessions"),
        ({"kind": "hold", "sessions": ["x"]}, "sessions"),
        ({"kind": "unlabel", "sessions": []}, "kind"),
        ({"kind": "hold", "sessions": [f"sess_{0:026d}"], "label": "x"}, "label"),
        ({"kind": "label", "sessions": [f"sess_{0:026d}"]}, "label"),
        ({"kind": "review", "sessions": [f"sess_{0:026d}"]}, "outcome"),
        ({"kind": "review", "sessions": [], "outcome": "good"}, "outcome"),
        ({"kind": "hold", "sessions": [], "outcome": "fine"}, "outcome"),
        ({"sessions": []}, "kind"),
        ({"kind": "hold", "sessions": [], "sort": "x"}, "sort"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place(api, body, param):
    answer = api().post("/v1/plans", body)

    assert (answer.status, answer.param) == (400, param)
    assert not Plan.objects.exists()


def test_a_lost_answer_is_told_again_and_nothing_done_twice(api, project):
    client, ids = api(), make_sessions(project, 1)
    body = {"kind": "hold", "sessions": ids}

    plans = [client.post("/v1/plans", body, Idempotency_Key="k") for _ in range(2)]
    path = f"/v1/plans/{plans[0].body['id']}/confirm"
    confirmed = [client.post(path, {}, Idempotency_Key="c") for _ in range(2)]
    sweep()

    assert plans[0].content == plans[1].content
    assert [one.status for one in confirmed] == [200, 200]
    assert client.post(path, {}).code == "plan_confirmed"
    assert Plan.objects.count() == 1
    assert Version.objects.filter(op="pause").count() == 1


def test_a_read_only_key_reads_and_makes_none(api, make_key, project):
    ids = make_sessions(project, 1)
    plan = made(api(), kind="hold", sessions=ids)
    reader = api(make_key(Scope.READ))

    assert reader.get(f"/v1/plans/{plan['id']}").status == 200
    for path in ("", f"/{plan['id']}/confirm", f"/{plan['id']}/undo"):
        assert reader.post(f"/v1/plans{path}", {}).status == 403


def test_a_limited_key_sees_its_own_plans_and_only_its_sessions(api, make_key, project):
    ids = make_sessions(project, 1)
    theirs = made(api(), kind="hold", sessions=ids)
    limited = api(make_key(agents=["other"]))
    other = Story(project, agent="other", now=timezone.now())

    mine = made(limited, kind="hold", sessions=[*ids, other.id])

    assert [one["state"] for one in mine["items"]] == ["left_out", "planned"]
    assert mine["items"][0]["code"] == "session_not_found"
    listed = limited.get("/v1/plans").body["data"]
    assert [one["id"] for one in listed] == [mine["id"]]
    assert limited.get(f"/v1/plans/{theirs['id']}").status == 404
    assert limited.post(f"/v1/plans/{theirs['id']}/confirm", {}).status == 404


def test_a_deleted_session_is_none_for_a_key(api, project):
    story = Story(project, now=timezone.now()).delete()

    plan = made(api(), kind="hold", sessions=[story.id])

    assert plan["items"][0]["code"] == "session_not_found"
    assert plan["items"][0]["version"] is None
    refused = api().post(f"/v1/plans/{plan['id']}/confirm", {})
    assert (refused.status, refused.code) == (409, "nothing_planned")


def unpacked(answer):
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/zip")
    packed = zipfile.ZipFile(io.BytesIO(answer.content))
    return {name: packed.read(name).splitlines() for name in packed.namelist()}


def test_an_export_is_downloaded_once_it_is_ready(api, project):
    client, ids = api(), make_sessions(project, 2)
    plan = made(client, kind="export", sessions=ids)
    path = f"/v1/plans/{plan['id']}"
    client.post(f"{path}/confirm", {})
    early = client.get(f"{path}/archive")
    assert (early.status, early.code) == (409, "no_archive")

    sweep()

    assert all(one["size"] for one in client.get(path).body["items"])
    answer = client.send(
        "GET", f"{path}/archive", headers={"Accept": "application/zip"}
    )
    found = unpacked(answer)
    assert set(found) == {"sessions.jsonl", *(f"{id}.jsonl" for id in ids)}
    assert f"{plan['id']}.zip" in answer.headers["Content-Disposition"]
    assert json.loads(found[f"{ids[0]}.jsonl"][-1])["type"] == "trailer"
    assert client.post(f"{path}/undo").code == "nothing_to_undo"


def test_what_was_deleted_since_is_in_no_archive_of_a_key(api, project):
    client, story = api(), Story(project, now=timezone.now())
    plan = made(client, kind="export", sessions=[story.id])
    client.post(f"/v1/plans/{plan['id']}/confirm", {})
    sweep()
    story.delete()

    found = unpacked(client.get(f"/v1/plans/{plan['id']}/archive"))

    (line,) = found[f"{story.id}.jsonl"]
    assert json.loads(line)["type"] == "error"


def test_what_was_deleted_before_its_turn_came_is_left_out(api, project):
    client, story = api(), Story(project, now=timezone.now())
    plan = made(client, kind="export", sessions=[story.id])
    client.post(f"/v1/plans/{plan['id']}/confirm", {})
    story.delete()
    sweep()

    (item,) = client.get(f"/v1/plans/{plan['id']}").body["items"]

    assert (item["state"], item["code"]) == ("left_out", "session_not_found")


def test_strangers_and_nobody(api, make_key, project, other_project):
    plan = made(api(), kind="hold", sessions=make_sessions(project, 1))
    stranger = api(make_key(project=other_project))

    assert stranger.get(f"/v1/plans/{plan['id']}").code == "plan_not_found"
    assert stranger.get("/v1/plans").body["data"] == []
    assert api(None).get(f"/v1/plans/{plan['id']}").status == 401
    assert api().get(f"/v1/plans/plan_{'0' * 26}").code == "plan_not_found"
    assert api().put(f"/v1/plans/{plan['id']}").status == 405


def test_a_list_counts_the_items_of_its_page_alone_and_at_once(api, project):
    client = api()
    for count in (1, 2, 3):
        made(client, kind="hold", sessions=make_sessions(project, count))

    with CaptureQueriesContext(connection) as asked:
        listed = client.get("/v1/plans", {"limit": 2}).body["data"]

    assert [one["counts"]["planned"] for one in listed] == [3, 2]
    items = [one["sql"] for one in asked if "plans_item" in one["sql"]]
    assert len(items) == 1
    assert "plans_plan" not in items[0]


def test_plans_are_listed_page_by_page(api, project):
    client, ids = api(), make_sessions(project, 1)
    plans = [made(client, kind="hold", sessions=ids)["id"] for _ in range(3)]

    first = client.get("/v1/plans", {"limit": 2}).body
    second = client.get("/v1/plans", {"starting_after": first["last_id"]}).body

    assert first["has_more"]
    assert not second["has_more"]
    listed = [*first["data"], *second["data"]]
    assert [one["id"] for one in listed] == plans[::-1]
    assert "items" not in listed[0]
    assert client.get("/v1/plans", {"starting_after": "x"}).status == 400
