"""What an erasure takes from incidents: who is named, and the sessions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from apps.accounts.models import StoredAnswer
from apps.incidents.models import Entry, Incident, Member
from apps.plans.models import Plan
from tests.conftest import Api
from tests.erasures.leaving import CANARY, done, found_in, leave
from tests.timeline import runs

pytestmark = pytest.mark.django_db
USER = CANARY


def test_the_person_is_named_no_more_and_the_rest_stays(
    api: runs.Clients, admin: Api, erase: Callable[..., Any]
) -> None:
    client = api()
    run, other = leave(client, USER), leave(client, "bob", "somethingelse")
    mine = done(
        client.post(
            "/v1/incidents",
            {
                "title": f"The trip of {USER} is lost",
                "search": f"user:{USER} OR user:bob",
                "check": f'state.name="{USER}"',
            },
        )
    )
    at = f"/v1/incidents/{mine['id']}"
    done(client.post(f"{at}/notes", {"text": f"Called {USER}, who was kind."}))
    done(client.post(f"{at}/notes", {"text": f"{USER}s are other birds"}))
    assert client.delete(f"{at}/members/{run.id}").status == 204

    erasure = erase(user_id=USER)

    counts = {one["what"]: one["rows"] for one in erasure["rows"]}
    assert counts["incident_titles"] == counts["incident_searches"] == 1
    assert (counts["incident_notes"], counts["incident_members"]) == (3, 1)
    left = Incident.objects.get()
    assert (left.title, left.query, left.check_text) == ("…", None, None)
    assert [one.session_id for one in Member.objects.all()] == [other.id]
    texts = list(Entry.objects.in_order().values_list("deed", "text", "session_id"))
    assert texts == [
        ("opened", None, None),
        ("check", None, None),
        ("noted", None, None),
        ("noted", f"{USER}s are other birds", None),
        ("removed", None, None),
    ]
    report = admin.get(f"{at}/report").body["markdown"]
    assert "took out a session that was removed since" in report
    assert "wrote what is erased" in report
    assert set(found_in()) <= {"incidents_entry"}


@pytest.mark.parametrize("user", ["a.b", "x(1)", "1", "é", "a|b", "[z]", "back\\s"])
def test_a_name_is_found_as_it_is_written(
    api: runs.Clients, erase: Callable[..., Any], user: str
) -> None:
    client = api()
    run = leave(client, user, "somethingelse")
    for title in (f"About {user}", f"{user}, again", f"Not x{user}x", "aXb"):
        done(client.post("/v1/incidents", {"title": title, "sessions": [run.id]}))

    erase(user_id=user)

    titles = Incident.objects.order_by("id").values_list("title", flat=True)
    assert list(titles) == ["…", "…", f"Not x{user}x", "aXb"]


def test_a_check_of_a_plan_names_the_person_no_more(
    api: runs.Clients, erase: Callable[..., Any]
) -> None:
    client = api()
    run = leave(client, "bob", "somethingelse")
    asked = {"kind": "rollback", "sessions": [run.id]}
    for user in (USER, f"{USER}s"):
        check = f'NOT state.name="{user}"'
        done(client.post("/v1/plans", {**asked, "target": {"check": check}}))

    erasure = erase(user_id=USER)

    counts = {one["what"]: one["rows"] for one in erasure["rows"]}
    assert counts["plan_checks"] == 1
    checks = [plan.params["check"] for plan in Plan.objects.order_by("id")]
    assert checks == ["…", f'NOT state.name="{USER}s"']
    (first, *_) = client.get("/v1/plans").body["data"][::-1]
    assert first["target"]["check"] == "…"


@pytest.mark.parametrize("user", ["corp\\ann", 'an"n'])
def test_a_name_is_found_as_checks_and_answers_escape_it(
    api: runs.Clients, erase: Callable[..., Any], user: str
) -> None:
    client = api()
    leave(client, user, "somethingelse")
    other = leave(client, "bob", "another")
    said = {"title": f"About {user}", "check": f"state.name={json.dumps(user)}"}
    answer = client.post(
        "/v1/incidents", {**said, "sessions": [other.id]}, Idempotency_Key="asked"
    )
    done(answer)

    erase(user_id=user)

    left = Incident.objects.get()
    assert (left.title, left.check_text) == ("…", None)
    assert not StoredAnswer.objects.filter(key="asked").exists()
