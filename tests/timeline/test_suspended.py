"""An agent that is suspended or deleted writes nothing; what it wrote is readable."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from apps.accounts.models import Project
from apps.core.actors import Actor, ActorKind
from apps.timeline import operations as timeline
from apps.timeline.models import Session
from apps.timeline.versions.reading import Step
from tests.acts import act_in
from tests.conftest import Answer, Api
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db
STATE = {"state": {"a": 1}}
WRITES = [
    ("PATCH", "state", STATE),
    ("PUT", "state", STATE),
    ("POST", "state", STATE),
    ("POST", "turns", {"input": "i", "output": "o"}),
    ("POST", "turns", {"input": "i", "output": "o", "state_after": {}}),
    ("POST", "rollback", {"version": 0}),
    ("POST", "state/rollback", {"version": -1}),
    ("PATCH", "", {"metadata": {"title": "x"}}),
    ("POST", "versions", {"versions": [STATE]}),
    ("POST", "fork", {}),
    ("POST", "fork", {"agent_id": "travel", "version": 1}),
]
TASK = {
    "checkpoint_id": "step-1",
    "task_id": "move",
    "writes": [{"index": 0, "channel": "city", "type": "json", "base64": "IkJvbm4i"}],
}
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


@pytest.fixture(params=["agent_suspended", "agent_deleted"])
def code(request: pytest.FixtureRequest) -> str:
    """What its writes are refused with, by how it was stopped."""
    return str(request.param)


@pytest.fixture
def admin(api: Clients, make_key: Keys) -> Api:
    return api(make_key(scope="admin"))


@pytest.fixture
def stop(code: str, run: Run, admin: Api) -> Callable[[], Answer]:
    """Suspend or delete the agent."""
    if code == "agent_deleted":
        return partial(admin.delete, "/v1/agents/travel")
    return partial(run.client.post, "/v1/agents/travel/suspend")


@pytest.fixture
def suspended(run: Run, stop: Callable[[], Answer]) -> Run:
    run.client.post(run.path("versions", 0, "labels"), {"label": "good"})
    succeeded(stop())
    return run


def test_it_cannot_write(suspended: Run, code: str) -> None:
    for method, path, body in WRITES:
        where = suspended.path(path).removesuffix("/")
        answer = suspended.client.send(method, where, body)

        assert_refused(answer, 403, code)
    assert suspended.head == 2
    assert suspended.get("turns")["data"] == []
    assert Session.objects.count() == 1


def test_a_person_can_step_its_session_back(suspended: Run, project: Project) -> None:
    person = Actor(kind=ActorKind.USER, id="user_1", label="operator")

    receipt = timeline.rollback(
        act=act_in(project, person),
        session_id=suspended.id,
        to=0,
        step=Step(reasoning="undo it"),
    )

    assert receipt.number == suspended.head == 3


def test_it_cannot_start_a_session(suspended: Run, code: str) -> None:
    answer = suspended.client.post("/v1/sessions", {"agent_id": "travel"})

    assert_refused(answer, 403, code)
    assert Session.objects.count() == 1


def test_what_it_wrote_can_be_read(suspended: Run) -> None:
    for read in READS:
        assert suspended.client.get(suspended.path() + read).status == 200


def test_its_sessions_are_listed_and_have_traces(suspended: Run) -> None:
    client = suspended.client

    assert len(client.get("/v1/sessions").body["data"]) == 1
    path = f"/v1/traces/sessions/{suspended.id}/traces"
    assert client.get(path).body["data"]


@pytest.mark.parametrize("verb", ["pause", "close"])
def test_its_sessions_can_be_held(suspended: Run, verb: Any) -> None:
    assert suspended.client.post(suspended.path(verb)).status == 200


def test_a_person_can_fork_its_session_for_another_agent(suspended: Run) -> None:
    fork = suspended.fork(agent_id="billing")

    assert fork.patch({"a": 1}).status == 200


def test_other_agents_go_on(suspended: Run, begin: Begin) -> None:
    other = begin({"a": 1}, agent_id="billing")

    assert other.patch({"a": 2}).status == 200


def test_it_goes_on_once_it_is_activated(suspended: Run, admin: Api) -> None:
    succeeded(admin.post("/v1/agents/travel/activate"))

    assert suspended.patch({"a": 1}).body["version"] == 3


def test_what_it_stored_before_is_still_answered(
    run: Run, stop: Callable[[], Answer]
) -> None:
    first = run.client.patch(run.path("state"), STATE, Idempotency_Key="k")
    succeeded(stop())

    again = run.client.patch(run.path("state"), STATE, Idempotency_Key="k")

    assert (again.status, again.body) == (200, first.body)
