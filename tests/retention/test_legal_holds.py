"""Legal holds: set over REST, asked by whoever removes, ended with a reason."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Scope
from apps.audit.models import AuditRecord
from apps.core.roles.names import Role
from apps.retention import standing
from apps.retention.models import LegalHold
from apps.timeline.models import Session
from tests.acting import acting_as

pytestmark = pytest.mark.django_db
HOLDS = "/v1/retention/legal-holds"
BEGUN = {"agent_id": "travel", "user_id": "ann", "initial_state": {"n": 1}}


@pytest.fixture
def session_id(admin):
    return admin.post("/v1/sessions", BEGUN).body["id"]


def held(client, **said):
    answer = client.post(HOLDS, {"reason": "Smith v. Jones"} | said)
    assert answer.status == 201, answer.content
    return answer.body


def stands(session_id):
    with transaction.atomic():
        return standing.hold_for_removal(Session.objects.get(id=session_id))


def test_each_kind_holds_what_it_names_and_nothing_else(admin, session_id):
    other = {"agent_id": "billing", "user_id": "ben"}
    other_id = admin.post("/v1/sessions", other).body["id"]
    for said in (
        {"kind": "session", "value": session_id},
        {"kind": "user", "value": "ann"},
        {"kind": "agent", "value": "travel"},
    ):
        hold = held(admin, **said)
        found = stands(session_id)
        assert found is not None
        assert found.id == hold["id"]
        assert stands(other_id) is None
        over = admin.post(f"{HOLDS}/{hold['id']}/end", {"reason": "Settled"})
        assert (over.status, over.body["standing"]) == (200, False)
        assert over.body["end_reason"] == "Settled"
        assert stands(session_id) is None
    held(admin, kind="project")
    assert stands(session_id)
    assert stands(other_id)


def test_it_ends_by_itself(admin, session_id):
    until = timezone.now() + timedelta(hours=1)
    hold = held(admin, kind="user", value="ann", until=until.isoformat())
    session = Session.objects.get(id=session_id)

    assert hold["standing"] is True
    assert standing.hold_on(session, now=until - timedelta(seconds=1))
    assert standing.hold_on(session, now=until) is None


def test_another_projects_hold_holds_nothing(
    admin, session_id, other_project, api, make_key
):
    stranger = api(make_key(project=other_project, scope=Scope.ADMIN))
    hold = held(stranger, kind="user", value="ann")

    assert stands(session_id) is None
    assert admin.get(HOLDS).body["data"] == []
    unknown = admin.post(f"{HOLDS}/{hold['id']}/end", {"reason": "x"})
    assert (unknown.status, unknown.code) == (404, "legal_hold_not_found")
    strange = stranger.post(
        HOLDS, {"kind": "session", "value": session_id, "reason": "x"}
    )
    assert (strange.status, strange.code) == (404, "session_not_found")


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"kind": "project", "value": "x"}, "value"),
        ({"kind": "user"}, "value"),
        ({"kind": "user", "value": ""}, "value"),
        ({"kind": "project", "reason": " "}, "reason"),
        ({"kind": "project", "until": "2020-01-01T00:00:00Z"}, "until"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(admin, said, place):
    refused = admin.post(HOLDS, {"reason": "x"} | said)

    assert (refused.status, refused.code) == (422, "unacceptable_legal_hold")
    assert refused.body["error"]["param"] == place
    assert not LegalHold.objects.exists()


def test_what_is_over_is_not_ended_again(admin):
    hold = held(admin, kind="project")
    path = f"{HOLDS}/{hold['id']}/end"

    first = admin.post(path, {"reason": "a"}, Idempotency_Key="e")
    again = admin.post(path, {"reason": "a"}, Idempotency_Key="e")
    anew = admin.post(path, {"reason": "b"})

    assert first.content == again.content
    assert (anew.status, anew.code) == (409, "legal_hold_ended")


def test_both_acts_are_recorded_and_no_person_is_named(admin):
    hold = held(admin, kind="user", value="ann@example.com", reason="about Ann")
    admin.post(f"{HOLDS}/{hold['id']}/end", {"reason": "about Ann, over"})

    records = list(
        AuditRecord.objects.filter(resource_type="legal_hold").order_by("number")
    )
    assert [one.action for one in records] == ["legal_hold.set", "legal_hold.ended"]
    told = str([(one.details, one.resource_id) for one in records])
    assert hold["id"] in told
    assert "ann" not in told.lower()


def test_the_retention_role_can_ask(admin, session_id):
    held(admin, kind="session", value=session_id)
    with acting_as(Role.RETENTION):
        assert stands(session_id)
