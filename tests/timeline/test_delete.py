"""Deleting a session: gone for agents, kept as evidence."""

import pytest

from apps.accounts.models import Project
from apps.audit.models import Event
from apps.timeline.models import Body, Session, Turn, Version
from tests.timeline.runs import Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db
CALLS = [
    ("GET", ""),
    ("GET", "/state"),
    ("GET", "/state/history"),
    ("GET", "/versions"),
    ("GET", "/versions/0"),
    ("GET", "/checkpoint"),
    ("GET", "/changes?from=0"),
    ("GET", "/turns"),
    ("GET", "/history"),
    ("POST", "/context"),
    ("PATCH", ""),
    ("PATCH", "/state"),
    ("PUT", "/state"),
    ("POST", "/state"),
    ("POST", "/rollback"),
    ("POST", "/state/rollback"),
    ("POST", "/turns"),
    ("POST", "/fork"),
    ("POST", "/pause"),
    ("POST", "/resume"),
    ("POST", "/close"),
    ("POST", "/versions/0/labels"),
    ("DELETE", "/versions/0/labels/good"),
    ("DELETE", ""),
]
# One body for all: each takes what it knows of it.
LENIENT = {"Prefer": "handling=lenient"}
BODY = {
    "state": {"a": 1},
    "version": 0,
    "input": "i",
    "output": "o",
    "label": "good",
    "metadata": {"a": 1},
}


@pytest.fixture
def deleted(run: Run) -> Run:
    run.turn()
    run.client.post(run.path("versions", 0, "labels"), {"label": "good"})
    answer = run.client.delete(run.path())
    assert (answer.status, answer.content) == (204, b"")
    return run


def test_a_deleted_session_is_not_found(deleted: Run) -> None:
    for method, path in CALLS:
        body = None if method in ("GET", "DELETE") else BODY

        answer = deleted.client.send(method, deleted.path() + path, body, LENIENT)

        assert_refused(answer, 404, "session_not_found")


def test_its_traces_are_not_found_by_session(deleted: Run) -> None:
    answer = deleted.client.get(f"/v1/traces/sessions/{deleted.id}/traces")

    assert_refused(answer, 404, "session_not_found")


def test_it_is_in_no_list(deleted: Run) -> None:
    client = deleted.client

    for query in ({}, {"agent_id": "travel"}, {"status": "active"}):
        assert client.get("/v1/sessions", query).body["data"] == []


def test_its_evidence_stays(deleted: Run) -> None:
    assert Session.objects.filter(id=deleted.id, status="deleted").count() == 1
    assert Version.objects.filter(session_id=deleted.id).count() == 4
    assert Body.objects.filter(session_id=deleted.id).count() == 3
    assert Turn.objects.filter(session_id=deleted.id).count() == 1
    last = Version.objects.filter(session_id=deleted.id).latest("number")
    assert (last.op, last.hold) == ("delete", "deleted")
    assert Event.objects.filter(stream_id=deleted.id, action="session.deleted").exists()


def test_the_project_is_told_in_its_traces(deleted: Run) -> None:
    traces = deleted.client.get("/v1/traces", {"action": "session.deleted"})

    (trace,) = traces.body["data"]
    assert trace["session_id"] == trace["resource_id"] == deleted.id


def test_a_repeated_request_is_answered_as_done(run: Run) -> None:
    first = run.client.delete(run.path(), Idempotency_Key="k")
    again = run.client.delete(run.path(), Idempotency_Key="k")

    assert (first.status, again.status) == (204, 204)
    assert Version.objects.filter(session_id=run.id, op="delete").count() == 1


def test_its_forks_live_on(run: Run) -> None:
    fork = run.fork(version=1)

    run.client.delete(run.path())

    assert fork.state == {"step": 1, "city": "Rome"}
    assert fork.get()["forked_from"] == run.id


def test_a_session_of_another_project_cannot_be_deleted(
    api: Clients, run: Run, make_key: Keys, other_project: Project
) -> None:
    stranger = api(make_key(project=other_project))

    assert_refused(stranger.delete(run.path()), 404, "session_not_found")
    assert run.head == 2
