"""Decisions about memories, stepping back, forgetting a session, and imports."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.core.actors import SYSTEM
from apps.memory import operations as memory
from apps.memory.models import Memory
from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db


def resolved(mind: Mind, made: Any, decision: str, **more: Any) -> Any:
    body = {"memory_id": made["id"], "decision": decision, **more}
    return done(mind.client.post("/v1/memories/resolve", body))["data"]


def stepped_back(mind: Mind, **body: Any) -> Any:
    return done(mind.client.post("/v1/memories/rollback", body))


def conflict(mind: Mind) -> tuple[Any, Any]:
    old = mind.add("Order 4712 was paid", user_id="ada")
    new = mind.add("Order 4712 was not paid", user_id="ada")
    assert new["near"][0]["id"] == old["id"]
    return old, new


@pytest.mark.parametrize(
    ("decision", "believed", "statuses"),
    [
        ("keep", {"Order 4712 was paid"}, ("dropped", "believed")),
        ("replace", {"Order 4712 was not paid"}, ("believed", "replaced")),
        (
            "both",
            {"Order 4712 was paid", "Order 4712 was not paid"},
            ("believed", "believed"),
        ),
    ],
)
def test_a_conflict_is_resolved(
    mind: Mind, decision: str, believed: set[str], statuses: tuple[str, str]
) -> None:
    old, new = conflict(mind)

    mine, other = resolved(mind, new, decision)

    assert (mine["id"], other["id"]) == (new["id"], old["id"])
    assert (mine["status"], other["status"]) == statuses
    assert mine["near"] == []
    assert set(mind.listed(user_id="ada")) == believed
    assert resolved(mind, new, decision, other_id=old["id"]) == [mine, other]


def test_a_proposal_is_accepted_or_dropped(mind: Mind) -> None:
    likes = mind.add("Likes jazz", user_id="ada", confidence=0.3)
    plays = mind.add("Plays the tuba", user_id="ada", confidence=0.3)

    (accepted,) = resolved(mind, likes, "accept")
    (dropped,) = resolved(mind, plays, "drop", reasoning="a joke")

    assert (accepted["status"], accepted["confidence"]) == ("believed", 0.7)
    assert dropped["status"] == "dropped"
    assert mind.found("jazz tuba", user_id="ada", threshold=0.1) == ["Likes jazz"]
    (again,) = resolved(mind, plays, "accept")
    assert again["status"] == "believed"


def test_a_memory_of_a_session_is_promoted_to_its_user(mind: Mind) -> None:
    session = mind.session(user="ada")
    made = mind.add("Is vegetarian", session_id=session)

    own, left = resolved(mind, made, "promote")

    assert (own["user_id"], own["session_id"]) == ("ada", session)
    assert (left["status"], left["replaced_by"]) == ("replaced", own["id"])
    assert mind.recalled(session) == ["Is vegetarian"]
    mind.client.delete(f"/v1/sessions/{session}")
    assert mind.listed(user_id="ada") == ["Is vegetarian"]


def test_a_memory_that_was_replaced_is_promoted_as_one_that_is_believed(
    mind: Mind,
) -> None:
    session = mind.session(user="ada")
    new = mind.add("Likes tea", session_id=session)
    old = mind.add("Likes coffee", session_id=session)
    resolved(mind, new, "replace", other_id=old["id"])

    own, left = resolved(mind, old, "promote")

    assert (own["status"], own["replaced_by"]) == ("believed", None)
    assert (left["status"], left["replaced_by"]) == ("replaced", own["id"])


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        ({"decision": "both"}, 400, "other_id"),
        ({"decision": "both", "other_id": "mem_0"}, 404, "other_id"),
        ({"decision": "promote"}, 400, "decision"),
        ({}, 400, "decision"),
        ({"decision": "burn"}, 400, "decision"),
    ],
)
def test_a_decision_about_nothing_is_refused(
    mind: Mind, body: Any, status: int, param: str
) -> None:
    made = mind.add("Is vegetarian", user_id="ada")

    refused = mind.client.post(
        "/v1/memories/resolve", {"memory_id": made["id"], **body}
    )

    assert (refused.status, refused.param) == (status, param)


def test_an_owner_is_stepped_back_to_a_moment_and_forth_again(mind: Mind) -> None:
    kept = mind.add("Is vegetarian", user_id="ada")
    gone = mind.add("Lives in Rome", user_id="ada")
    moment = done(mind.read(gone["id"]))["updated_at"]
    mind.patch(kept["id"], content="Is vegan")
    mind.delete(gone["id"])
    mind.add("Lives in Paris", user_id="ada")
    mind.add("Lives in Oslo", user_id="bob")
    asked = {"user_id": "ada", "to": moment}

    shown = stepped_back(mind, dry_run=True, **asked)
    assert set(mind.listed(user_id="ada")) == {"Is vegan", "Lives in Paris"}
    done_now = stepped_back(mind, **asked)

    (owner,) = shown["owners"]
    assert (shown["dry_run"], shown["count"], owner["has_more"]) == (True, 3, False)
    changes = {
        (one["before"] or {}).get("content"): (one["after"] or {}).get("content")
        for one in owner["changes"]
    }
    assert changes == {
        "Is vegan": "Is vegetarian",
        "Lives in Paris": None,
        None: "Lives in Rome",
    }
    assert done_now["owners"][0]["changes"] == owner["changes"]
    assert set(mind.listed(user_id="ada")) == {"Is vegetarian", "Lives in Rome"}
    assert mind.found("lives Rome", user_id="ada") == ["Lives in Rome"]
    assert mind.listed(user_id="bob") == ["Lives in Oslo"]
    stepped_back(mind, user_id="ada", version=owner["number"])
    assert set(mind.listed(user_id="ada")) == {"Is vegan", "Lives in Paris"}
    assert mind.read(gone["id"]).status == 404


def test_a_moment_before_everything_leaves_nothing(mind: Mind) -> None:
    mind.add("Is vegetarian", user_id="ada")

    stepped_back(mind, user_id="ada", to="2020-01-01")

    assert mind.listed(user_id="ada") == []
    assert stepped_back(mind, user_id="nobody", to="2020-01-01")["count"] == 0
    assert mind.add("Is vegetarian", user_id="ada")["version"] == 1


def test_a_session_is_forgotten_wherever_it_taught(mind: Mind) -> None:
    good, bad = mind.session(user="ada"), mind.session(user="ada")
    mind.add("Is vegetarian", session_id=good, scope="user", confidence=0.8)
    before = mind.add("Has two cats", session_id=good, scope="user", confidence=0.8)
    mind.add("Has two cats", session_id=bad, scope="user", confidence=0.8)
    first = mind.add("Lives in Rome", session_id=bad, scope="user")
    mind.add("Lives in Rome", session_id=good, scope="user")
    replaced = mind.add("Pays by card", user_id="ada")
    wrong = mind.add("Pays in cash", session_id=bad, scope="user")
    resolved(mind, wrong, "replace", other_id=replaced["id"])
    mind.add("Refunds need no receipt", session_id=bad, scope="project")
    mind.add("Wants a refund", session_id=bad)

    shown = stepped_back(mind, from_session=bad, dry_run=True)
    assert mind.found("Pays in cash", user_id="ada") != []
    stepped = stepped_back(mind, from_session=bad, reasoning="it was fooled")

    assert {one["scope"] for one in stepped["owners"]} == {"session", "user", "project"}
    assert shown["count"] == stepped["count"] == 6
    assert set(mind.listed(user_id="ada")) == {
        *("Is vegetarian", "Has two cats", "Lives in Rome", "Pays by card")
    }
    assert mind.listed(session_id=bad, scope="session") == []
    twice = done(mind.read(before["id"]))
    assert (twice["reinforced"], twice["confidence"]) == (0, 0.8)
    kept = done(mind.read(first["id"]))
    assert kept["source"]["session_id"] == good
    assert mind.versions(wrong["id"])[0]["reasoning"] == "it was fooled"
    assert stepped_back(mind, from_session=bad)["count"] == 0
    # And back.
    for one in stepped["owners"]:
        place = {
            "project": {},
            "user": {"user_id": "ada"},
            "session": {"session_id": bad},
        }
        asked = {"scope": one["scope"], **place[one["scope"]]}
        stepped_back(mind, version=one["number"], **asked)
    assert "Pays in cash" in mind.listed(user_id="ada")
    assert mind.listed(session_id=bad, scope="session") == ["Wants a refund"]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"user_id": "ada"}, "to"),
        ({"user_id": "ada", "to": "2026-01-01", "version": 1}, "to"),
        ({"user_id": "ada", "to": "2999-01-01"}, "to"),
        ({"user_id": "ada", "to": "yesterday"}, "to"),
        ({"from_session": "sess_0", "user_id": "ada"}, "user_id"),
        ({"scope": "user", "version": 0}, "user_id"),
    ],
)
def test_stepping_back_to_nothing_in_particular_is_refused(
    mind: Mind, body: Any, param: str
) -> None:
    refused = mind.client.post("/v1/memories/rollback", body)

    assert (refused.status, refused.param) == (400, param)


def test_stepping_back_from_another_version_than_was_seen_is_refused(
    mind: Mind,
) -> None:
    mind.add("Is vegetarian", user_id="ada")
    shown = stepped_back(mind, user_id="ada", version=0, dry_run=True)
    seen = shown["owners"][0]["number"]
    mind.add("Lives in Rome", user_id="ada")

    body = {"user_id": "ada", "version": 0, "expected_version": seen}
    refused = mind.client.post("/v1/memories/rollback", body)

    assert (refused.status, refused.code) == (409, "version_conflict")
    assert len(mind.listed(user_id="ada")) == 2


def test_an_import_takes_each_once_and_names_the_rest(mind: Mind) -> None:
    session = mind.session(user="ada")
    mind.add("Likes tea", user_id="ada")
    items = [
        {"id": "m-1", "memory": "Is vegetarian", "user_id": "ada", "hash": "h1"},
        {"id": "m-2", "memory": "Answers in French", "agent_id": "travel"},
        {"id": "m-3", "memory": "Wants to go to Rome", "run_id": session},
        {"id": "m-1", "memory": "Is vegan", "user_id": "ada"},
        {"id": "m-4", "memory": "likes  tea", "user_id": "ada"},
        {"id": "m-5", "memory": "Knows nobody", "agent_id": "nobody"},
        {"id": "m-6", "memory": "Ran away", "run_id": "run-7"},
        {"id": "m-7", "memory": "Has two cats", "user_id": "ada", "run_id": "run-7"},
        {"id": "m-8", "memory": "x" * 10_001},
        {"id": "m-9", "memory": "Old", "created_at": "2024-05-01T10:00:00-07:00"},
    ]

    first = done(mind.client.post("/v1/memories/import", {"memories": items}))
    again = done(mind.client.post("/v1/memories/import", {"results": items}))

    results = [(one["result"], one["param"]) for one in first["results"]]
    assert results == [
        ("imported", None),
        ("imported", None),
        ("imported", None),
        ("refused", "id"),
        ("same", None),
        ("refused", None),
        ("refused", "session_id"),
        ("imported", None),
        ("refused", "content"),
        ("imported", None),
    ]
    assert first["results"][5]["code"] == "agent_not_found"
    assert (first["imported"], first["same"], first["refused"]) == (5, 1, 4)
    assert (again["imported"], again["known"], again["same"]) == (0, 6, 1)
    assert set(mind.listed(user_id="ada", scope="user")) == {
        *("Is vegetarian", "Likes tea", "Has two cats")
    }
    assert mind.listed(agent_id="travel", scope="agent") == ["Answers in French"]
    assert mind.listed(session_id=session, scope="session") == ["Wants to go to Rome"]
    (kept,) = done(
        mind.client.get("/v1/memories", {"query": "vegetarian", "user_id": "ada"})
    )["data"]
    assert (kept["external_id"], kept["metadata"]) == ("m-1", {"hash": "h1"})
    (old,) = done(mind.client.get("/v1/memories"))["data"]
    assert old["created_at"] == "2024-05-01T17:00:00.000000Z"


@pytest.mark.parametrize(
    ("item", "param"),
    [
        ("nothing", "memories[1]"),
        ({"memory": "Has no id"}, "memories[1].id"),
        ({"id": "m", "memory": 5}, "memories[1].memory"),
        ({"id": "m", "memory": "x", "metadata": []}, "memories[1].metadata"),
        ({"id": "m", "memory": "x", "created_at": "now"}, "memories[1].created_at"),
        ({"id": "m", "memory": "x", "categories": [5]}, "memories[1].categories"),
    ],
)
def test_what_is_no_export_is_not_imported(mind: Mind, item: Any, param: str) -> None:
    items = [{"id": "m-1", "memory": "Likes tea"}, item]

    refused = mind.client.post("/v1/memories/import", {"memories": items})

    assert (refused.status, refused.param) == (400, param)
    assert mind.listed() == []


def test_an_import_has_a_size(mind: Mind) -> None:
    items = [{"id": str(n), "memory": f"Fact {n}"} for n in range(1_001)]

    assert mind.client.post("/v1/memories/import", {"memories": items}).status == 400
    assert mind.client.post("/v1/memories/import", {"memories": []}).status == 400
    imported = done(mind.client.post("/v1/memories/import", {"memories": items[:99]}))
    assert imported["imported"] == 99


def test_what_has_expired_is_gone_and_recorded(mind: Mind) -> None:
    soon = timezone.now() + timedelta(seconds=30)
    made = mind.add("Is in Rome today", user_id="ada", expires_at=soon.isoformat())
    mind.add("Lives in Paris", user_id="ada")
    later = soon + timedelta(seconds=1)

    assert memory.expire_due(actor=SYSTEM, now=later) == 1

    assert memory.expire_due(actor=SYSTEM, now=later) == 0
    assert mind.listed(user_id="ada") == ["Lives in Paris"]
    assert mind.read(made["id"]).status == 404
    assert mind.versions(made["id"])[0]["cause"] == "expired"
    assert Memory.objects.get(id=made["id"]).status == "removed"
