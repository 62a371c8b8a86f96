"""What is expected of a session, and of an agent's sessions from now on."""

from typing import Any

import pytest

from apps.heartbeats.models import Heartbeat
from tests.feeding import feed_all
from tests.heartbeats.beating import expect
from tests.timeline import runs
from tests.timeline.runs import Run, assert_refused

pytestmark = pytest.mark.django_db


def test_it_is_set_read_and_taken_back(run: Run) -> None:
    made = expect(run, 60)

    assert made.status == 200
    assert made.body["every"] == 60
    assert made.body["silent_since"] is None
    assert run.get("heartbeat") == made.body
    assert run.client.delete(run.path("heartbeat")).status == 204
    assert_refused(run.client.get(run.path("heartbeat")), 404, "heartbeat_not_found")
    assert_refused(run.client.delete(run.path("heartbeat")), 404, "heartbeat_not_found")


def test_set_again_it_is_the_other(run: Run) -> None:
    expect(run, 60)

    assert expect(run, 600).body["every"] == 600
    assert Heartbeat.objects.get().every == 600


def test_the_same_again_changes_nothing(run: Run) -> None:
    first, again = expect(run, 60), expect(run, 60)

    assert first.body == again.body


@pytest.mark.parametrize("every", [0, -1, 30 * 86_400 + 1])
def test_no_time_and_too_much_of_it_are_refused(run: Run, every: int) -> None:
    assert_refused(expect(run, every), 422, "unacceptable_heartbeat", "every")
    assert not Heartbeat.objects.exists()


@pytest.mark.parametrize("every", ["60", 1.5, True, None])
def test_it_takes_a_whole_number(run: Run, every: Any) -> None:
    refused = expect(run, every)

    assert (refused.status, refused.param) == (400, "every")


def test_a_closed_session_is_expected_nothing_of(run: Run) -> None:
    run.hold("close")

    assert_refused(expect(run), 409, "session_closed")


def test_a_stranger_finds_no_session(
    run: Run, api: runs.Clients, make_key: Any, other_project: Any
) -> None:
    expect(run)
    stranger = api(make_key(project=other_project))

    for method, body in (("GET", None), ("PUT", {"every": 5}), ("DELETE", None)):
        answer = stranger.send(method, run.path("heartbeat"), body)
        assert_refused(answer, 404, "session_not_found")


def test_a_key_of_another_agent_finds_no_session(
    run: Run, api: runs.Clients, make_key: Any
) -> None:
    limited = api(make_key(agents=["refunds"]))

    answer = limited.put(run.path("heartbeat"), {"every": 5})
    assert_refused(answer, 404, "session_not_found")


def test_a_reading_key_expects_nothing(
    run: Run, api: runs.Clients, make_key: Any
) -> None:
    reader = api(make_key("read"))

    answer = reader.put(run.path("heartbeat"), {"every": 5})
    assert_refused(answer, 403, "permission_denied")


def test_new_sessions_begin_with_their_agents_heartbeat(run: Run, admin: Any) -> None:
    made = admin.put("/v1/agents/travel/heartbeat", {"every": 300})
    new = runs.begin(run.client)
    other = runs.begin(run.client, agent_id="refunds")
    fork = new.fork()
    feed_all()

    assert made.body == {
        "object": "agent_heartbeat",
        "agent_id": "travel",
        "every": 300,
    }
    assert new.get("heartbeat")["every"] == 300
    assert new.get("heartbeat")["is_default"] is True
    for none in (run, other, fork):
        assert none.client.get(none.path("heartbeat")).status == 404


def test_what_was_said_of_a_session_outlives_the_default(run: Run, admin: Any) -> None:
    admin.put("/v1/agents/travel/heartbeat", {"every": 300})
    new = runs.begin(run.client)
    expect(new, 30)
    feed_all()

    assert new.get("heartbeat")["every"] == 30
    assert admin.delete("/v1/agents/travel/heartbeat").status == 204
    assert admin.get("/v1/agents/travel/heartbeat").code == "heartbeat_not_found"
    assert new.get("heartbeat")["every"] == 30


def test_only_administrators_set_an_agents_default(run: Run, api: runs.Clients) -> None:
    for answer in (
        api().put("/v1/agents/travel/heartbeat", {"every": 300}),
        api().delete("/v1/agents/travel/heartbeat"),
    ):
        assert_refused(answer, 403, "permission_denied")
