"""Incidents over REST: opened, read, changed, noted on, narrowed, reported."""

import pytest
from django.utils import timezone

from apps.accounts.models import Scope
from apps.audit.models import AuditRecord
from apps.incidents.models import Entry, Incident, Member
from tests.console.make import Story
from tests.incidents.make import make_sessions

pytestmark = pytest.mark.django_db
NO_ONE = f"incd_{'0' * 26}"
NO_SESSION = f"sess_{'0' * 26}"


def opened(client, title="trip lost", **body):
    answer = client.post("/v1/incidents", {"title": title, **body})
    assert answer.status == 201, answer.content
    return answer.body


def at(incident, rest=""):
    return f"/v1/incidents/{incident['id']}{rest}"


def entries(client, incident):
    return client.get(at(incident, "/notes")).body["data"]


def deeds(client, incident):
    return [one["deed"] for one in entries(client, incident)]


def members(client, incident, **query):
    return client.get(at(incident, "/members"), query).body["data"]


def test_named_sessions_are_collected_and_counted(api, project):
    client, ids = api(), make_sessions(project, 2)
    other = Story(project, agent="other", now=timezone.now())
    other.update({"a": 1}, release="1.8.1", model="m-1")

    incident = opened(client, sessions=[*ids, other.id, ids[0]])

    assert (incident["status"], incident["owner"]) == ("open", None)
    assert incident["counts"]["sessions"] == incident["sessions"] == 3
    assert incident["counts"]["by_agent"] == [
        {"name": "travel-agent", "sessions": 2},
        {"name": "other", "sessions": 1},
    ]
    assert incident["counts"]["by_release"] == [
        {"name": None, "sessions": 2},
        {"name": "1.8.1", "sessions": 1},
    ]
    assert incident["counts"]["not_looked_at"] == 3
    assert client.get(at(incident)).body == incident
    listed = client.get("/v1/incidents").body["data"]
    assert [(one["id"], one["sessions"]) for one in listed] == [(incident["id"], 3)]


def test_the_members_are_told_as_collected_and_as_they_are_now(api, project):
    client = api()
    story = Story(project, now=timezone.now(), title="Trip to Rome")
    story.update({"a": 1}, release="1.8.1", model="m-1")
    incident = opened(client, sessions=[story.id])
    story.update({"a": 2}, release="1.8.2")

    (member,) = members(client, incident)

    assert (member["version"], member["head_version"]) == (1, 2)
    assert (member["release"], member["model"]) == ("1.8.1", "m-1")
    assert (member["title"], member["agent_id"]) == ("Trip to Rome", "travel-agent")
    assert (member["verdict"], member["first_bad"]) == (None, None)


def test_all_that_a_search_finds_are_collected_and_frozen(api, project):
    client, ids = api(), make_sessions(project, 3)
    Story(project, agent="other", now=timezone.now())

    incident = opened(client, search="agent:travel-agent")
    make_sessions(project, 1)

    assert incident["q"] == "agent:travel-agent"
    found = [one["session_id"] for one in members(client, incident)]
    assert found == ids[::-1]


def test_all_sessions_of_a_release_are_collected(api, project):
    client = api()
    story = Story(project, now=timezone.now()).update({"a": 1}, release="1.8 beta")
    story.update({"a": 2}, release="2")
    make_sessions(project, 1)

    incident = opened(client, release="1.8 beta")

    assert [one["session_id"] for one in members(client, incident)] == [story.id]
    assert client.get("/v1/search", {"q": incident["q"]}).body["data"]


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        ({"title": "x"}, 400, "sessions"),
        ({"title": "x", "sessions": [NO_SESSION], "search": "age<2h"}, 400, "sessions"),
        ({"title": "x", "sessions": []}, 422, "sessions"),
        ({"title": "x", "search": "agent:nobody"}, 422, "search"),
        ({"title": "x", "release": "none"}, 422, "release"),
        ({"title": "x", "sessions": ["x"]}, 400, "sessions"),
        ({"title": "x", "sessions": [NO_SESSION]}, 404, "sessions"),
        ({"title": "x", "search": "status:maybe"}, 400, "search"),
        ({"title": "x", "search": "words:!!"}, 400, "search"),
        ({"sessions": [NO_SESSION]}, 400, "title"),
        ({"title": 5, "sessions": [NO_SESSION]}, 400, "title"),
        ({"title": "x", "sessions": [NO_SESSION], "sort": "x"}, 400, "sort"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place(api, body, status, param):
    answer = api().post("/v1/incidents", body)

    assert answer.status == status, answer.content
    assert param is None or answer.param == param
    assert not Incident.objects.exists()


@pytest.mark.parametrize("title", ["", "  ", "x" * 201, "a\0b"])
def test_a_title_is_bounded(api, project, title):
    body = {"title": title, "sessions": make_sessions(project, 1)}
    answer = api().post("/v1/incidents", body)

    assert answer.status in (400, 422)
    assert not Incident.objects.exists()


def test_more_than_50_000_are_refused(api, project):
    ids = [f"sess_{place:026d}" for place in range(50_001)]

    answer = api().post("/v1/incidents", {"title": "x", "sessions": ids})

    assert (answer.status, answer.code) == (422, "unacceptable_incident")
    assert "50,000" in answer.body["error"]["message"]


def test_a_search_that_finds_too_many_is_refused(api, project, monkeypatch):
    make_sessions(project, 3)
    monkeypatch.setattr("apps.incidents.operations.opening.MOST", 2)

    answer = api().post("/v1/incidents", {"title": "x", "search": "agent:travel-agent"})

    assert (answer.status, answer.param) == (422, "search")
    assert not Incident.objects.exists()


def test_it_is_changed_and_the_history_says_so(api, project, person):
    client = api()
    incident = opened(client, sessions=make_sessions(project, 1))
    path = at(incident)

    client.patch(path, {"title": "trips lost", "owner": "olga"})
    done = client.patch(path, {"status": "resolved"}).body
    again = client.patch(path, {"status": "resolved", "title": "trips lost"}).body

    assert (done["title"], done["owner"]) == ("trips lost", "olga")
    assert done["resolved_at"]
    assert again == done
    told = [(one["deed"], one["text"]) for one in entries(client, incident)]
    assert told == [
        ("opened", "trip lost"),
        ("titled", "trips lost"),
        ("owner", "olga"),
        ("status", "resolved"),
    ]
    reopened = client.patch(path, {"status": "open", "owner": None}).body
    assert (reopened["resolved_at"], reopened["owner"]) == (None, None)
    actions = AuditRecord.objects.filter(action__startswith="incident.")
    assert actions.count() == 4


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        ({"status": "closed"}, 400, "status"),
        ({"status": None}, 400, "status"),
        ({"title": None}, 400, "title"),
        ({"title": " "}, 422, "title"),
        ({"owner": "nobody"}, 422, "owner"),
        ({"check": "state.total<<5"}, 400, "check"),
        ({"note": "x"}, 400, "note"),
    ],
)
def test_a_change_that_does_not_fit_changes_nothing(api, project, body, status, param):
    client = api()
    incident = opened(client, sessions=make_sessions(project, 1))

    answer = client.patch(at(incident), {"title": "other"} | body)

    assert (answer.status, answer.param) == (status, param)
    assert client.get(at(incident)).body == incident


def test_a_note_is_appended_as_it_was_written(api, project):
    client = api()
    incident = opened(client, sessions=make_sessions(project, 1))

    noted = client.post(at(incident, "/notes"), {"text": "called the *airline*\n"})

    assert (noted.status, noted.body["text"]) == (201, "called the *airline*")
    assert entries(client, incident)[-1] == noted.body
    for text in ("", " \n", "x" * 10_001):
        assert client.post(at(incident, "/notes"), {"text": text}).status == 422


def test_a_session_is_taken_out_and_stays_marked(api, project):
    client, ids = api(), make_sessions(project, 2)
    incident = opened(client, sessions=ids)
    path = at(incident, f"/members/{ids[0]}")

    assert client.delete(path).status == 204

    left, out = members(client, incident)
    assert (left["session_id"], left["removed_at"]) == (ids[1], None)
    assert out["removed_by"]
    counts = client.get(at(incident)).body["counts"]
    assert (counts["sessions"], counts["removed"]) == (1, 1)
    assert entries(client, incident)[-1]["session_id"] == ids[0]
    assert client.delete(path).code == "not_in_incident"
    assert client.delete(at(incident, f"/members/{NO_SESSION}")).status == 404
    assert Member.objects.count() == 2


def test_a_lost_answer_is_told_again_and_nothing_done_twice(api, project):
    client, ids = api(), make_sessions(project, 1)
    body = {"title": "x", "sessions": ids}

    first, second = (
        client.post("/v1/incidents", body, Idempotency_Key="a") for _ in range(2)
    )
    notes = [
        client.post(at(first.body, "/notes"), {"text": "x"}, Idempotency_Key="b")
        for _ in range(2)
    ]
    gone = [
        client.send(
            "DELETE",
            at(first.body, f"/members/{ids[0]}"),
            headers={"Idempotency-Key": "c"},
        )
        for _ in range(2)
    ]

    assert first.content == second.content
    assert notes[0].content == notes[1].content
    assert [one.status for one in gone] == [204, 204]
    assert Incident.objects.count() == 1
    assert Entry.objects.count() == 3


def test_a_read_only_key_reads_and_changes_nothing(api, make_key, project):
    ids = make_sessions(project, 1)
    incident = opened(api(), sessions=ids)
    reader = api(make_key(Scope.READ))

    for rest in ("", "/members", "/notes", "/report"):
        assert reader.get(at(incident, rest)).status == 200
    assert reader.post("/v1/incidents", {"title": "x", "sessions": ids}).status == 403
    assert reader.patch(at(incident), {"title": "x"}).status == 403
    assert reader.post(at(incident, "/notes"), {"text": "x"}).status == 403
    assert reader.delete(at(incident, f"/members/{ids[0]}")).status == 403


def test_strangers_and_nobody(api, make_key, project, other_project):
    ids = make_sessions(project, 1)
    incident = opened(api(), sessions=ids)
    stranger = api(make_key(project=other_project))

    assert stranger.get("/v1/incidents").body["data"] == []
    taken = {"title": "x", "sessions": ids}
    assert stranger.post("/v1/incidents", taken).code == "session_not_found"
    for client, path, status in (
        (stranger, at(incident), 404),
        (api(None), at(incident), 401),
        (api(), f"/v1/incidents/{NO_ONE}", 404),
        (api(), "/v1/incidents/x", 404),
    ):
        for rest in ("", "/members", "/notes", "/report"):
            assert client.get(f"{path}{rest}").status == status
        assert client.patch(path, {"title": "x"}).status == status
        assert client.post(f"{path}/notes", {"text": "x"}).status == status
        assert client.delete(f"{path}/members/{ids[0]}").status == status
    assert api().put(at(incident)).status == 405
    assert api().delete(at(incident)).status == 405
    assert len(Entry.objects.all()) == 1


def test_a_limited_key_is_shown_what_is_of_its_agents_alone(api, make_key, project):
    mine = Story(project, agent="other", now=timezone.now()).id
    theirs = make_sessions(project, 2)
    alone = opened(api(), sessions=theirs)
    both = opened(api(), search='agent:travel-agent OR agent:"other"')
    api().post(at(both, "/notes"), {"text": f"see {theirs[0]}"})
    limited = api(make_key(agents=["other"]))

    listed = limited.get("/v1/incidents").body["data"]
    told = limited.get(at(both)).body

    assert [(one["id"], one["sessions"]) for one in listed] == [(both["id"], 1)]
    assert (told["limited"], told["q"]) == (True, None)
    assert told["counts"]["sessions"] == 1
    assert told["counts"]["by_agent"] == [{"name": "other", "sessions": 1}]
    assert [one["session_id"] for one in members(limited, both)] == [mine]
    assert entries(limited, both) == []
    report = limited.get(at(both, "/report")).body
    assert "this key may see" in report["markdown"]
    assert theirs[0] not in report["markdown"]
    assert limited.get(at(alone)).status == 404
    assert limited.patch(at(both), {"title": "x"}).status == 403
    assert limited.delete(at(both, f"/members/{theirs[0]}")).status == 403
    own = opened(limited, sessions=[mine])
    assert limited.delete(at(own, f"/members/{mine}")).status == 204
    taken = {"title": "x", "sessions": [theirs[0]]}
    assert limited.post("/v1/incidents", taken).code == "session_not_found"


def test_of_a_deleted_session_a_key_is_told_no_more_than_that(api, project):
    client, story = api(), Story(project, now=timezone.now(), title="Secret trip")
    incident = opened(client, sessions=[story.id])
    story.delete()

    (member,) = members(client, incident)

    assert (member["status"], member["title"]) == (None, None)
    assert member["head_version"] is None
    report = client.get(at(incident, "/report")).body
    assert "1 session is deleted, or removed." in report["open"]


def test_lists_go_on_page_by_page(api, project):
    client, ids = api(), make_sessions(project, 3)
    made = [opened(client, sessions=ids)["id"] for _ in range(3)]
    client.patch(f"/v1/incidents/{made[0]}", {"status": "watching"})

    for path, expected, name in (
        ("/v1/incidents", made[::-1], "id"),
        (f"/v1/incidents/{made[0]}/members", ids[::-1], "session_id"),
    ):
        first = client.get(path, {"limit": 2}).body
        second = client.get(path, {"starting_after": first["last_id"]}).body
        assert (first["has_more"], second["has_more"]) == (True, False)
        found = [one[name] for one in (*first["data"], *second["data"])]
        assert found == expected
        assert client.get(path, {"starting_after": "x"}).status == 400
    watched = client.get("/v1/incidents", {"status": "watching"}).body["data"]
    assert [one["id"] for one in watched] == [made[0]]
    assert client.get("/v1/incidents", {"status": "x"}).param == "status"


@pytest.mark.parametrize("rest", ["", "/members", "/report"])
def test_many_members_take_no_more_statements(
    api, project, django_assert_max_num_queries, django_assert_num_queries, rest
):
    client, ids = api(), make_sessions(project, 6)
    few, many = opened(client, sessions=ids[:1]), opened(client, sessions=ids)
    client.get(at(few, rest))

    with django_assert_max_num_queries(12) as counted:
        client.get(at(few, rest))
    with django_assert_num_queries(len(counted)):
        client.get(at(many, rest))
