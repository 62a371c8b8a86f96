"""Masked keys: what the project's masks cover is in no answer that they get."""

from __future__ import annotations

import pytest

from apps.accounts.models import Scope
from apps.audit.models import AuditRecord, Event
from tests.contracts.routes import api_routes
from tests.contracts.world import client_of, make_world
from tests.erasures.leaving import done, leave
from tests.timeline.test_blame import counted

pytestmark = pytest.mark.django_db
MASKS = "/v1/masks"
CANARY = "canarybird7361"
# In no text and under no pattern: only its place says that it is masked.
PLACED = "placedbird9152"
SECRET = [
    {"pointer": "/**/secret", "style": "digest"},
    {"pattern": "words", "words": [CANARY], "style": "hide"},
]
# What a masked key may ask; whoever adds one says where it shows a state.
MASKING = {
    "GET /v1/sessions",
    "GET /v1/sessions/{session_id}",
    "GET /v1/sessions/{session_id}/state",
    "GET /v1/sessions/{session_id}/state/history",
    "GET /v1/sessions/{session_id}/versions",
    "GET /v1/sessions/{session_id}/versions/{number}",
}


@pytest.fixture
def admin(api, make_key):
    return api(make_key(scope="admin"))


@pytest.fixture
def masked(api, make_key):
    return api(make_key(scope="masked"))


@pytest.fixture
def session(admin):
    said = {
        "agent_id": "travel",
        "user_id": "bob@x.org",
        "title": "Ask bob@x.org",
        "initial_state": {"card": "4111111111111111", "to": "bob@x.org", "n": 1},
    }
    return f"/v1/sessions/{done(admin.post('/v1/sessions', said))['id']}"


def set_masks(admin, *masks):
    return done(admin.put(MASKS, {"masks": [*masks]}))


def test_masks_are_set_and_read_as_a_whole(admin):
    assert done(admin.get(MASKS)) == {"object": "masks", "masks": []}

    told = set_masks(admin, *SECRET)

    assert told["masks"] == [
        {"pointer": "/**/secret", "pattern": None, "words": [], "style": "digest"},
        {"pointer": None, "pattern": "words", "words": [CANARY], "style": "hide"},
    ]
    assert done(admin.get(MASKS)) == told
    assert set_masks(admin)["masks"] == []


def test_it_is_recorded_how_many_there_are_and_not_what_they_say(admin):
    set_masks(admin, *SECRET)
    set_masks(admin, *SECRET)

    event = Event.objects.get(action="project.changed")
    assert event.details == {"masks": 2}
    record = AuditRecord.objects.get(action="project.changed")
    assert CANARY not in str(record.details)


@pytest.mark.parametrize("scope", ["masked", "read", "write"])
def test_administrators_alone_see_and_set_them(api, make_key, scope):
    client = api(make_key(scope=scope))

    assert client.get(MASKS).status == 403
    assert client.put(MASKS, {"masks": []}).status == 403
    assert api(None).get(MASKS).status == 401
    assert api(make_key(scope="admin", agents=["a"])).get(MASKS).status == 403


def test_no_other_method_is_known(admin):
    assert admin.post(MASKS, {"masks": []}).status == 405
    assert admin.delete(MASKS).status == 405


@pytest.mark.parametrize(
    ("mask", "place"),
    [
        ({"style": "hide"}, "masks[1]"),
        ({"style": "hide", "pointer": "/a", "pattern": "card"}, "masks[1]"),
        ({"style": "blur", "pointer": "/a"}, "masks[1].style"),
        ({"pointer": "/a"}, "masks[1].style"),
        ({"style": "hide", "pointer": "a"}, "masks[1].pointer"),
        ({"style": "hide", "pointer": ""}, "masks[1].pointer"),
        ({"style": "hide", "pointer": "/a" * 33}, "masks[1].pointer"),
        ({"style": "hide", "pointer": "/" + "ä" * 512}, "masks[1].pointer"),
        ({"style": "hide", "pointer": 5}, "masks[1].pointer"),
        ({"style": "hide", "pattern": "(a+)+"}, "masks[1].pattern"),
        ({"style": "hide", "pattern": "words"}, "masks[1].words"),
        ({"style": "hide", "pattern": "card", "words": ["x"]}, "masks[1].words"),
        (
            {"style": "hide", "pattern": "words", "words": ["x", " "]},
            "masks[1].words[1]",
        ),
        (
            {"style": "hide", "pattern": "words", "words": ["x" * 101]},
            "masks[1].words[0]",
        ),
        ({"style": "hide", "pattern": "words", "words": ["x"] * 101}, "masks[1].words"),
        ("x", "masks[1]"),
    ],
)
def test_what_a_mask_cannot_be_is_named_and_nothing_is_set(admin, mask, place):
    answer = admin.put(MASKS, {"masks": [SECRET[0], mask]})

    assert (answer.status, answer.code) == (422, "unacceptable_mask")
    assert answer.param == place
    assert done(admin.get(MASKS))["masks"] == []


def test_a_project_has_at_most_100(admin):
    answer = admin.put(MASKS, {"masks": [SECRET[0]] * 101})

    assert (answer.status, answer.code, answer.param) == (
        422,
        "unacceptable_mask",
        "masks",
    )
    assert len(set_masks(admin, *SECRET[:1] * 100)["masks"]) == 100


def test_a_masked_key_is_shown_what_the_masks_leave(admin, masked, api, session):
    set_masks(
        admin,
        {"pointer": "/card", "style": "last4"},
        {"pattern": "email", "style": "hide"},
    )
    left = {"card": "[masked …1111]", "to": "[masked]", "n": 1}

    state = masked.get(f"{session}/state")

    assert (state.status, state.body["state"], state.body["data"]) == (200, left, left)
    told = done(masked.get(session))
    assert (told["state"], told["user_id"], told["title"]) == (
        left,
        "[masked]",
        "[masked]",
    )
    (version,) = done(masked.get(f"{session}/versions", {"include_state": "true"}))[
        "data"
    ]
    assert version["state"] == left
    assert done(masked.get("/v1/sessions"))["data"][0]["state"] == left
    assert done(masked.get(f"{session}/state/history"))["data"][0]["state"] == left
    assert done(api().get(f"{session}/state"))["state"]["card"] == "4111111111111111"


def test_a_mask_counts_from_the_next_request_on(admin, masked, session):
    assert done(masked.get(f"{session}/state"))["state"]["to"] == "bob@x.org"

    set_masks(admin, {"pointer": "/to", "style": "hide"})
    assert done(masked.get(f"{session}/state"))["state"]["to"] == "[masked]"

    set_masks(admin)
    assert done(masked.get(f"{session}/state"))["state"]["to"] == "bob@x.org"


def test_it_takes_no_more_statements_than_a_key_that_sees_all(
    admin, masked, api, session
):
    set_masks(admin, *SECRET)
    for client in (clear := api(), masked):
        done(client.get(f"{session}/state"))

    with counted() as less:
        done(clear.get(f"{session}/state"))
    with counted() as more:
        done(masked.get(f"{session}/state"))

    assert len(more) <= len(less), more


def test_what_a_masked_key_has_kept_is_never_said_to_be_the_newest(
    admin, masked, session
):
    tag = masked.get(f"{session}/state").headers["ETag"]
    set_masks(admin, {"pointer": "/to", "style": "hide"})

    def asked(client):
        known = {"If_None_Match": tag}
        return client.send("GET", f"{session}/state", headers=known)

    assert done(asked(masked))["state"]["to"] == "[masked]"
    assert asked(admin).status == 304


def test_the_changes_of_a_version_are_left_out_and_said_to_be(admin, masked, session):
    done(admin.patch(f"{session}/state", {"state": {"card": "5555555555554444"}}))

    version = done(masked.get(f"{session}/versions/1"))

    assert (version["changes"], version["changes_truncated"]) == ([], True)
    assert version["change_count"] == 1


@pytest.mark.parametrize("name", ["agent_id", "user_id", "external_id", "metadata"])
def test_a_filter_that_would_tell_a_masked_value_is_refused(masked, session, name):
    answer = masked.get("/v1/sessions", {name: "{}"})

    assert (answer.status, answer.code, answer.param) == (422, "masked", name)


def test_another_projects_masks_mask_nothing_here(
    admin, masked, api, make_key, session, other_project
):
    theirs = api(make_key(scope="admin", project=other_project))
    set_masks(theirs, {"pointer": "/to", "style": "hide"})

    assert done(masked.get(f"{session}/state"))["state"]["to"] == "bob@x.org"
    stranger = api(make_key(scope="masked", project=other_project))
    assert stranger.get(f"{session}/state").status == 404
    assert masked.get("/v1/sessions/sess_nothing/state").status == 404


def test_no_route_tells_a_masked_key_what_is_masked():
    world = make_world()
    masked = client_of(world.project, Scope.MASKED)
    run = leave(world.client, canary=CANARY)
    done(world.client.patch(run.path("state"), {"state": {"deep": {"secret": PLACED}}}))
    set_masks(world.admin, *SECRET)
    values = world.parameters | {"session_id": run.id, "number": "1"}
    told: dict[str, int] = {}

    for route in api_routes():
        answer = route.call(masked, values)
        told[str(route)] = answer.status
        assert CANARY not in answer.content.decode(), route
        assert PLACED not in answer.content.decode(), route

    assert {name for name, status in told.items() if status < 300} == MASKING
    refused = {name: status for name, status in told.items() if name not in MASKING}
    assert set(refused.values()) <= {403}, refused
    newest = done(masked.get(run.path("state")))["state"]
    assert newest["deep"]["secret"].startswith("[masked ")
