"""The project's settings over REST: seen and changed by administrators' keys."""

import pytest

from apps.accounts.models import Project
from apps.audit.models import AuditRecord, Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(api, make_key):
    return api(make_key(scope="admin"))


def test_it_is_the_project_of_the_key(admin, project):
    answer = admin.get("/v1/project")

    assert answer.status == 200
    assert answer.body == {
        "object": "project",
        "id": project.id,
        "slug": "checkout",
        "name": "Checkout",
        "handling": "strict",
        "search_by_meaning": False,
        "needs_rollback_reason": False,
        "created_at": answer.body["created_at"],
    }
    assert "index_key" not in str(answer.body)


def test_what_is_set_holds_from_the_next_request_on(admin, api, project):
    writer = api()
    body = {"agent_id": "a", "invented": 1}
    assert writer.post("/v1/sessions", body).code == "unknown_field"

    answer = admin.patch("/v1/project", {"handling": "lenient"})

    assert (answer.status, answer.body["handling"]) == (200, "lenient")
    assert writer.post("/v1/sessions", body).body["ignored"] == ["invented"]
    admin.patch("/v1/project", {"handling": "strict"})
    assert writer.post("/v1/sessions", body).code == "unknown_field"


def test_it_is_recorded_in_the_chain_and_only_where_it_changes(admin, project):
    admin.patch("/v1/project", {"handling": "lenient"})
    admin.patch("/v1/project", {"handling": "lenient"})

    event = Event.objects.get(action="project.changed")
    assert (event.resource_id, event.details) == (project.id, {"handling": "lenient"})
    assert AuditRecord.objects.filter(action="project.changed").count() == 1


@pytest.mark.parametrize("told", [{}, {"handling": None}, {"handling": "loose"}])
def test_nothing_else_can_be_set(admin, project, told):
    answer = admin.patch("/v1/project", told)

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.param == "handling"
    assert Project.objects.get(id=project.id).handling == "strict"


def test_other_keys_may_not(api, make_key, project):
    for scope, agents in (("write", None), ("read", None), ("admin", ["a"])):
        client = api(make_key(scope=scope, agents=agents))
        for method, body in (("GET", None), ("PATCH", {"handling": "lenient"})):
            answer = client.send(method, "/v1/project", body)
            assert (answer.status, answer.code) == (403, "permission_denied")


def test_another_projects_setting_is_its_own(admin, api, make_key, other_project):
    admin.patch("/v1/project", {"handling": "lenient"})

    stranger = api(make_key(scope="admin", project=other_project))

    assert stranger.get("/v1/project").body["handling"] == "strict"
    refused = stranger.post("/v1/sessions", {"agent_id": "a", "invented": 1})
    assert refused.code == "unknown_field"


def test_a_reason_of_rollbacks_is_required_and_recorded(admin, project):
    answer = admin.patch("/v1/project", {"needs_rollback_reason": True})

    assert (answer.status, answer.body["needs_rollback_reason"]) == (200, True)
    event = Event.objects.get(action="project.changed")
    assert event.details == {"needs_rollback_reason": True}
    assert admin.patch("/v1/project", {"needs_rollback_reason": True}).status == 200
    assert AuditRecord.objects.filter(action="project.changed").count() == 1


def test_only_yes_or_no_is_taken_for_it(admin, project):
    answer = admin.patch("/v1/project", {"needs_rollback_reason": "sometimes"})

    assert (answer.status, answer.param) == (400, "needs_rollback_reason")
    assert not Project.objects.get(id=project.id).needs_rollback_reason
