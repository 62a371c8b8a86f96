"""Deleting an agent: a status that administrators set and take back."""

from typing import Any

import pytest

from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.models import AuditRecord, Event
from apps.timeline.models import Session
from tests.conftest import Answer, Api

pytestmark = pytest.mark.django_db
BILLING = "/v1/agents/billing"


@pytest.fixture
def writer(api: Any) -> Api:
    """A client that has made the agent `billing`, and a session of it."""
    client: Api = api()
    client.post("/v1/agents", {"external_id": "billing", "name": "Billing"})
    assert client.post("/v1/sessions", {"agent_id": "billing"}).status == 201
    return client


@pytest.fixture
def admin(api: Any, make_key: Any) -> Api:
    client: Api = api(make_key(scope="admin"))
    return client


def listed(client: Api, **query: str) -> list[str]:
    answer = client.get("/v1/agents", query).body
    assert answer["total"] == len(answer["data"])
    return [agent["external_id"] for agent in answer["data"]]


def refused(answer: Answer) -> tuple[int, str]:
    assert answer.body["code"] == answer.code
    return answer.status, answer.code


def test_it_is_a_status_and_nothing_goes_away(writer: Api, admin: Api) -> None:
    before = writer.get(BILLING).body

    answer = admin.delete(BILLING)

    body = answer.body
    assert (answer.status, body["success"], body["audit_preserved"]) == (
        200,
        True,
        True,
    )
    assert "always kept" in body["message"]
    assert body["agent"]["status"] == body["status"] == "deleted"
    assert body["agent"]["id"] == before["id"]
    shown = writer.get(BILLING).body
    assert shown["deleted_at"] == shown["updated_at"] > before["updated_at"]
    assert Session.objects.count() == len(writer.get("/v1/sessions").body["data"]) == 1


@pytest.mark.parametrize("asked", ["true", "false", "1", "0"])
def test_the_audit_is_kept_whatever_is_asked_for(
    writer: Api, admin: Api, asked: str
) -> None:
    answer = admin.send("DELETE", BILLING, query={"preserve_audit": asked})

    assert answer.body["audit_preserved"] is True
    assert Event.objects.filter(action="agent.created").count() == 1


def test_what_is_no_flag_is_refused(writer: Api, admin: Api) -> None:
    answer = admin.send("DELETE", BILLING, query={"preserve_audit": "maybe"})

    assert (answer.status, answer.param) == (400, "preserve_audit")
    assert answer.body["field"] == "preserve_audit"
    assert listed(writer) == ["billing"]


def test_lists_leave_it_out_unless_it_is_asked_for(writer: Api, admin: Api) -> None:
    writer.post("/v1/agents", {"external_id": "other", "name": "Other"})
    writer.post("/v1/agents/billing/suspend")
    admin.delete(BILLING)

    assert listed(writer) == ["other"]
    assert listed(writer, status="suspended") == []
    assert listed(writer, status="deleted") == ["billing"]


def test_it_changes_no_more(writer: Api, admin: Api) -> None:
    admin.delete(BILLING)

    mapping = {"title": None, "user": None, "waiting": None, "noise": []}
    for answer in (
        writer.patch(BILLING, {"owner": "ann"}),
        writer.put(BILLING, {"owner": "ann"}),
        writer.post(f"{BILLING}/suspend"),
        admin.put(f"{BILLING}/mapping", mapping),
    ):
        assert (answer.status, answer.code) == (403, "agent_deleted")


def test_its_name_makes_no_second_agent(writer: Api, admin: Api) -> None:
    agent_id = writer.get(BILLING).body["id"]
    admin.delete(BILLING)

    for name in ("billing", agent_id):
        begun = writer.post("/v1/sessions", {"agent_id": name})
        made = writer.post("/v1/agents", {"external_id": name})

        assert (begun.status, begun.code) == (403, "agent_deleted")
        assert refused(made) == (403, "agent_deleted")
        assert made.body["error"]["agent_id"] == agent_id
    assert Agent.objects.count() == 1


def test_administrators_bring_it_back(writer: Api, admin: Api) -> None:
    writer.post("/v1/agents/billing/suspend")
    admin.delete(BILLING)

    denied = writer.post(f"{BILLING}/activate")
    back = admin.post(f"{BILLING}/activate")

    assert refused(denied) == (403, "permission_denied")
    assert denied.body["required_permission"] == "admin"
    assert (back.status, back.body["status"]) == (200, "active")
    assert back.body["deleted_at"] is None
    assert listed(writer) == ["billing"]
    assert writer.post("/v1/sessions", {"agent_id": "billing"}).status == 201


def test_each_change_is_recorded_once_and_chained(
    writer: Api, admin: Api, project: Any
) -> None:
    for call in (admin.delete, admin.delete):
        assert call(BILLING).status == 200
    for _ in range(2):
        assert admin.post(f"{BILLING}/activate").status == 200

    actions = ["agent.deleted", "agent.restored"]
    events = Event.objects.filter(action__in=actions).order_by("created_at", "id")
    records = AuditRecord.objects.filter(action__in=actions).order_by("number")
    chained = records.for_stream(project.id)
    assert [one.action for one in events] == actions
    assert [one.action for one in chained] == actions
    # And once in the agent's own stream.
    assert [one.action for one in records.exclude(stream_id=project.id)] == actions
    assert {one.details["agent_id"] for one in chained} == {"billing"}
    assert audit.verify_records(stream_id=project.id).is_intact


def test_it_is_deleted_once_for_one_key(writer: Api, admin: Api) -> None:
    first = admin.delete(BILLING, Idempotency_Key="k")
    admin.post(f"{BILLING}/activate")

    again = admin.delete(BILLING, Idempotency_Key="k")

    assert again.content == first.content
    assert again.headers["Idempotent-Replayed"] == "true"
    assert listed(writer) == ["billing"]


@pytest.mark.parametrize("scope", ["read", "write"])
def test_it_takes_an_administrators_key(
    writer: Api, api: Any, make_key: Any, scope: str
) -> None:
    answer = api(make_key(scope=scope)).delete(BILLING)

    assert refused(answer) == (403, "permission_denied")
    assert answer.body["required_permission"] == "admin"
    assert listed(writer) == ["billing"]


def test_a_stranger_finds_nothing_to_delete(
    writer: Api, api: Any, make_key: Any, other_project: Any
) -> None:
    stranger = api(make_key(scope="admin", project=other_project))
    limited = api(make_key(scope="admin", agents=["other"]))

    for client in (stranger, limited):
        for path in (BILLING, "/v1/agents/nobody"):
            assert refused(client.delete(path)) == (404, "agent_not_found")
    assert refused(api(None).delete(BILLING)) == (401, "authentication_failed")
    assert listed(writer) == ["billing"]


def test_a_body_is_not_taken(writer: Api, admin: Api) -> None:
    answer = admin.send("DELETE", BILLING, {"reason": "old"})

    assert (answer.status, answer.code) == (400, "unknown_field")
