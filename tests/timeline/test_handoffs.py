"""A version handed to another agent: signed here, adopted only if it verifies."""

from typing import Any

import pytest

from apps.audit.models import Event
from apps.timeline.models import Session

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(api):
    return api()


@pytest.fixture
def path(client):
    begun = client.post(
        "/v1/sessions",
        {"agent_id": "planner", "initial_state": {"n": 0}, "external_id": "run-1"},
    )
    path = f"/v1/sessions/{begun.body['id']}"
    client.put(f"{path}/state", {"state": {"n": 1}, "external_id": "good"})
    client.put(f"{path}/state", {"state": {"n": 2}})
    return path


@pytest.fixture
def handoff(client, path):
    answer = client.post(f"{path}/handoffs", {"version": 1, "to_agent": "reviewer"})
    assert answer.status == 201
    return answer.body


def test_a_descriptor_names_the_version_and_copies_nothing(handoff, path) -> None:
    assert (handoff["version"], handoff["checkpoint_id"]) == (1, "good")
    assert (handoff["to_agent"], handoff["format"]) == (
        "reviewer",
        "stepback-handoff/1",
    )
    assert path.endswith(handoff["session_id"])
    assert len(handoff["signature"]) == 64
    assert "state" not in handoff
    event = Event.objects.filter(action="session.handed_off").get()
    assert event.details == {"version": 1, "to_agent": "reviewer"}


def test_what_is_adopted_is_a_fork_of_that_version(client, path, handoff) -> None:
    answer = client.post(
        "/v1/handoffs/adopt", {"handoff": handoff, "external_id": "run-1-review"}
    )

    assert (answer.status, answer.body["state"]) == (201, {"n": 1})
    assert answer.body["forked_from"] == handoff["session_id"]
    assert answer.body["forked_version"] == 1
    assert client.get(f"{path}/state").body["version"] == 2


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"session_id": "sess_" + "0" * 26},
        {"to_agent": "somebody else"},
        {"commitment": "00" * 32},
        {"signature": "0" * 64},
        {"signature": None},
        {"signature": "ä"},
        {"more": "than was signed"},
    ],
)
def test_a_changed_descriptor_is_refused_before_anything_is_written(
    client, handoff, change: dict[str, Any]
) -> None:
    before = (Session.objects.count(), Event.objects.count())

    answer = client.post("/v1/handoffs/adopt", {"handoff": handoff | change})

    assert (answer.status, answer.code) == (422, "handoff_not_verified")
    assert answer.param == "handoff"
    assert (Session.objects.count(), Event.objects.count()) == before


def test_a_part_of_a_descriptor_is_none(client, handoff) -> None:
    del handoff["commitment"]

    answer = client.post("/v1/handoffs/adopt", {"handoff": handoff})

    assert answer.code == "handoff_not_verified"


def test_another_projects_descriptor_is_none(
    api, make_key, other_project, handoff
) -> None:
    stranger = api(make_key(project=other_project))

    answer = stranger.post("/v1/handoffs/adopt", {"handoff": handoff})

    assert answer.code == "handoff_not_verified"
    assert (
        stranger.post(f"/v1/sessions/{handoff['session_id']}/handoffs", {}).status
        == 404
    )


def test_a_key_that_only_reads_hands_off_and_adopts_nothing(
    api, make_key, path, handoff
) -> None:
    reader = api(make_key("read"))

    assert reader.post(f"{path}/handoffs", {}).code == "permission_denied"
    answer = reader.post("/v1/handoffs/adopt", {"handoff": handoff})
    assert answer.code == "permission_denied"


def test_a_name_that_is_taken_is_told(client, handoff) -> None:
    answer = client.post(
        "/v1/handoffs/adopt", {"handoff": handoff, "external_id": "run-1"}
    )

    assert answer.code == "external_id_taken"


def test_parts_that_are_sent_with_an_adoption_are_kept(client, handoff) -> None:
    answer = client.post(
        "/v1/handoffs/adopt", {"handoff": handoff, "messages": ["Go on."]}
    )

    told = client.get(f"/v1/sessions/{answer.body['id']}/checkpoint").body
    assert (told["messages"], told["state"]) == (["Go on."], {"n": 1})
