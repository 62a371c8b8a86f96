"""Reading a session and its state; whom there is nothing to read for."""

import pytest

from tests.timeline.runs import assert_refused

pytestmark = pytest.mark.django_db
READS = [
    "",
    "/state",
    "/state/history",
    "/versions",
    "/versions/0",
    "/checkpoint",
    "/changes?from=0",
    "/turns",
    "/history",
]


def test_it_reads_the_head_of_a_session(run):
    read = run.client.get(run.path())

    assert read.headers["ETag"] == '"v2"'
    assert read.body["version"] == 2
    assert read.body["state"] == {"step": 2, "city": "NYC"}
    assert read.body["turn_count"] == read.body["memory_count"] == 0
    assert read.body["rollback_count"] == 0
    assert read.body["last_rollback"] is None
    assert read.body["updated_at"] >= read.body["created_at"]


def test_it_counts_turns_and_rollbacks(run):
    run.turn()
    run.turn(state_after={"step": 3})
    run.rollback(0)

    read = run.get()

    assert (read["turn_count"], read["rollback_count"]) == (2, 1)


def test_it_reads_a_state_under_both_of_its_names(run):
    read = run.client.get(run.path("state"))

    assert read.headers["ETag"] == '"v2"'
    assert read.body["state"] == read.body["data"] == {"step": 2, "city": "NYC"}
    assert read.body["session_id"] == run.id
    assert read.body["hold"] == "open"
    assert read.body["created_at"] == run.made.body["created_at"]


def test_a_state_that_has_not_moved_is_not_sent_again(run):
    client = run.client

    same = client.send("GET", run.path("state"), headers={"If-None-Match": '"v2"'})
    moved = client.send("GET", run.path("state"), headers={"If-None-Match": '"v1"'})

    assert (same.status, same.content) == (304, b"")
    assert same.headers["ETag"] == '"v2"'
    assert moved.status == 200


@pytest.mark.parametrize(
    "session_id", ["sess_unknown", "SESS_0", "{x}", "..%2f..", "é", "s" * 10_000]
)
def test_an_id_that_nobody_has_is_not_found(api, session_id):
    client = api()

    for read in READS:
        answer = client.get(f"/v1/sessions/{session_id}{read}")

        assert_refused(answer, 404, answer.code)


def test_a_session_of_another_project_is_not_found(api, run, make_key, other_project):
    stranger = api(make_key(project=other_project))

    for read in READS:
        assert_refused(stranger.get(run.path() + read), 404, "session_not_found")


def test_a_session_of_another_agent_is_not_found(api, run, make_key):
    limited = api(make_key(agents=["billing"]))

    for read in READS:
        assert_refused(limited.get(run.path() + read), 404, "session_not_found")


def test_a_read_only_key_reads(api, run, make_key):
    reader = api(make_key(scope="read"))

    for read in READS:
        assert reader.get(run.path() + read).status == 200


def test_an_id_in_capitals_is_another_id(run):
    answer = run.client.get(f"/v1/sessions/{run.id.upper()}")

    assert_refused(answer, 404, "session_not_found")
