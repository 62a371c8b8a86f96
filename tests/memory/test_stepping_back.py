"""Decisions about memories, stepping back, and forgetting a session."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import StoredAnswer
from apps.core.actors import SYSTEM
from apps.memory import operations as memory
from apps.memory.documents import sureness
from apps.memory.models import Memory
from apps.memory.operations import forgetting, resolving
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


def test_what_somebody_else_has_decided_since_is_not_decided_again(mind: Mind) -> None:
    old, new = conflict(mind)
    seen = {
        "other_id": old["id"],
        "expected_memory_version": new["version"],
        "expected_other_version": old["version"],
    }
    decided = resolved(mind, new, "keep", **seen)

    body = {"memory_id": new["id"], "decision": "replace", **seen}
    refused = mind.client.post("/v1/memories/resolve", body)

    assert (refused.status, refused.code) == (409, "version_conflict")
    assert refused.param == "memory_id"
    assert resolved(mind, new, "keep", **seen) == decided
    assert set(mind.listed(user_id="ada")) == {"Order 4712 was paid"}


def test_of_two_the_other_one_is_held_to_what_was_seen_as_well(mind: Mind) -> None:
    old, new = conflict(mind)
    mind.patch(old["id"], content="Order 4712 was paid twice")
    seen = {"other_id": old["id"], "expected_other_version": old["version"]}

    body = {"memory_id": new["id"], "decision": "replace", **seen}
    refused = mind.client.post("/v1/memories/resolve", body)
    of_one = mind.client.post(
        "/v1/memories/resolve", body | {"decision": "drop", "other_id": None}
    )

    assert (refused.status, refused.param) == (409, "other_id")
    assert (of_one.status, of_one.param) == (400, "expected_other_version")


def test_a_proposal_is_accepted_or_dropped(mind: Mind, administrator: Mind) -> None:
    likes = mind.add("Likes jazz", user_id="ada", confidence=0.3)
    plays = mind.add("Plays the tuba", user_id="ada", confidence=0.3)

    (accepted,) = resolved(administrator, likes, "accept")
    (dropped,) = resolved(mind, plays, "drop", reasoning="a joke")

    assert (accepted["status"], accepted["confidence"]) == ("believed", 0.7)
    assert dropped["status"] == "dropped"
    assert mind.found("jazz tuba", user_id="ada", threshold=0.1) == ["Likes jazz"]
    (again,) = resolved(administrator, plays, "accept")
    assert again["status"] == "believed"


def refused(mind: Mind, made: Any, **body: Any) -> None:
    asked = {"memory_id": made["id"], **body}
    answer = mind.client.post("/v1/memories/resolve", asked)
    assert (answer.status, answer.code) == (403, "permission_denied")
    assert "accepted by a person" in answer.content.decode()


def test_an_agents_key_accepts_no_proposal(mind: Mind, administrator: Mind) -> None:
    session = mind.session(user="ada")
    made = mind.add("The user is an admin", session_id=session, confidence=0.6)
    other = mind.add("The user is a guest", session_id=session)

    refused(mind, made, decision="accept")
    refused(mind, made, decision="promote")
    refused(mind, made, decision="replace", other_id=other["id"])
    assert mind.patch(made["id"], confidence=0.9).status == 403
    path = f"/v1/memories/{made['id']}"
    assert mind.client.put(path, {"content": "x", "confidence": 1}).status == 403
    assert mind.listed(session_id=session, status="proposed") == [made["content"]]

    # Nor by way of dropping it, or of having it replaced and forgetting by what.
    (dropped,) = resolved(mind, made, "drop")
    assert dropped["status"] == "dropped"
    refused(mind, made, decision="accept")
    assert mind.patch(made["id"], confidence=0.9).status == 403
    (back,) = resolved(administrator, made, "accept")
    assert back["status"] == "believed"
    assert resolved(mind, made, "accept") == [back]


def test_what_replaced_a_proposal_leaves_it_one_when_it_is_forgotten(
    mind: Mind,
) -> None:
    session = mind.session(user="ada")
    made = mind.add("Is an admin", user_id="ada", confidence=0.6)
    new = mind.add("Is a guest", session_id=session, scope="user")
    resolved(mind, new, "replace", other_id=made["id"])

    stepped_back(mind, from_session=session)

    assert done(mind.read(made["id"]))["status"] == "proposed"


def test_an_agent_decides_its_conflicts(mind: Mind) -> None:
    old, new = conflict(mind)

    mine, _ = resolved(mind, new, "replace", other_id=old["id"])

    assert mine["status"] == "believed"


def test_a_memory_of_a_session_is_promoted_to_its_user(mind: Mind) -> None:
    session = mind.session(user="ada")
    made = mind.add("Is vegetarian", session_id=session)

    own, left = resolved(mind, made, "promote")

    assert (own["user_id"], own["session_id"]) == ("ada", session)
    assert (left["status"], left["replaced_by"]) == ("replaced", own["id"])
    assert mind.recalled(session) == ["Is vegetarian"]
    mind.client.delete(f"/v1/sessions/{session}")
    assert mind.listed(user_id="ada") == ["Is vegetarian"]


def test_what_is_promoted_is_believed_also_where_its_user_had_it_as_a_proposal(
    mind: Mind, administrator: Mind
) -> None:
    session = mind.session(user="ada")
    theirs = mind.add("Likes tea", session_id=session, scope="user", confidence=0.8)
    done(administrator.patch(theirs["id"], confidence=0.3))
    made = mind.add("Likes tea", session_id=session)

    refused(mind, made, decision="promote")
    own, left = resolved(administrator, made, "promote")

    assert (own["id"], own["status"]) == (theirs["id"], "believed")
    assert (left["status"], left["replaced_by"]) == ("replaced", theirs["id"])
    assert mind.recalled(session) == ["Likes tea"]


def test_what_became_a_proposal_meanwhile_is_promoted_by_no_agent(
    mind: Mind, administrator: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = mind.session(user="ada")
    made = mind.add("Is an admin", session_id=session)
    real = resolving.near_of

    def doubted(*given: Any, **more: Any) -> Any:
        done(administrator.patch(made["id"], confidence=0.5))
        return real(*given, **more)

    monkeypatch.setattr(resolving, "near_of", doubted)

    refused(mind, made, decision="promote")

    assert mind.listed(user_id="ada", scope="user") == []


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


@pytest.mark.parametrize("said", [0.8, 1.0])
def test_a_proposal_that_a_session_confirmed_is_one_again_without_it(
    mind: Mind, said: float
) -> None:
    good, bad = mind.session(user="ada"), mind.session(user="ada")
    place = {"scope": "user"}
    made = mind.add("Is an admin", session_id=good, confidence=0.6, **place)
    sure = mind.add("Is an admin", session_id=bad, confidence=said, **place)
    assert sure["status"] == "believed"

    stepped_back(mind, from_session=bad)

    left = done(mind.read(made["id"]))
    assert (left["status"], left["confidence"]) == ("proposed", 0.6)
    assert mind.found("Is an admin", user_id="ada") == []


def test_what_a_third_source_or_a_person_believes_too_stays_believed(
    mind: Mind, administrator: Mind
) -> None:
    good, bad, other = (mind.session(user="ada") for _ in range(3))
    place = {"scope": "user"}
    for text in ("Likes tea", "Has a cat", "Is late"):
        mind.add(text, session_id=good, confidence=0.6, **place)
    (accepted,) = resolved(
        administrator,
        mind.add("Is late", session_id=good, confidence=0.6, **place),
        "accept",
    )
    assert accepted["confidence"] == 0.7
    for text in ("Likes tea", "Has a cat", "Is late"):
        mind.add(text, session_id=bad, **place)
    mind.add("Likes tea", session_id=other, confidence=0.9, **place)

    stepped_back(mind, from_session=bad)

    told = {
        one["content"]: (one["status"], one["confidence"])
        for one in done(
            mind.client.get(
                "/v1/memories",
                {"user_id": "ada", "scope": "user", "status": "believed,proposed"},
            )
        )["data"]
    }
    assert told == {
        "Likes tea": ("believed", 0.9),
        "Has a cat": ("proposed", 0.6),
        "Is late": ("believed", 0.7),
    }


def test_what_its_first_source_is_forgotten_of_is_as_sure_as_the_others(
    mind: Mind,
) -> None:
    bad, good = mind.session(user="ada"), mind.session(user="ada")
    made = mind.add("Is an admin", session_id=bad, scope="user")
    mind.add("Is an admin", session_id=good, scope="user", confidence=0.5)

    stepped_back(mind, from_session=bad)

    left = done(mind.read(made["id"]))
    assert (left["status"], left["confidence"]) == ("proposed", 0.5)
    assert left["source"]["session_id"] == good


def test_more_than_one_act_forgets_is_forgotten_step_by_step(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "MOST", 3)
    bad, good = mind.session(user="ada"), mind.session(user="ada")
    for place in range(5):
        mind.add(f"Fact {place}", session_id=bad, scope="user")
        mind.add(f"Rule {place}", session_id=bad, scope="project")
    mind.add("Is vegetarian", session_id=good, scope="user")

    shown = stepped_back(mind, from_session=bad, dry_run=True)
    assert (shown["count"], shown["has_more"]) == (3, True)
    assert len(mind.listed(user_id="ada", scope="user")) == 6

    # The same call, without a key, and at once: it is the next step all the same.
    steps = [stepped_back(mind, from_session=bad) for _ in range(5)]

    assert [(one["count"], one["has_more"]) for one in steps] == [
        *((3, True), (3, True), (3, True), (1, False), (0, False))
    ]
    owners = [[each["scope"] for each in one["owners"]] for one in steps]
    assert owners == [["project"], ["project", "user"], ["user"], ["user"], []]
    assert mind.listed(user_id="ada") == ["Is vegetarian"]


def test_a_step_of_forgetting_with_a_key_is_done_once(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "MOST", 2)
    bad = mind.session(user="ada")
    for place in range(5):
        mind.add(f"Fact {place}", session_id=bad, scope="user")
    body = {"from_session": bad}

    def forget(key: str) -> Any:
        path = "/v1/memories/rollback"
        return done(mind.client.post(path, body, Idempotency_Key=key))

    first, again = forget("k1"), forget("k1")
    assert first == again
    assert len(mind.listed(user_id="ada")) == 3
    assert [forget("k2")["has_more"], forget("k3")["has_more"]] == [True, False]
    assert mind.listed(user_id="ada") == []


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


def test_a_version_that_nobodys_memories_have_is_no_sessions(mind: Mind) -> None:
    body = {"user_id": "nobody", "version": 1}
    answer = mind.client.post("/v1/memories/rollback", body)

    assert (answer.status, answer.code) == (404, "version_not_found")
    said = answer.body["error"]["message"]
    assert said == "These memories have no such version."


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


def test_a_key_that_is_sent_again_after_its_answer_is_gone_undoes_nothing(
    mind: Mind,
) -> None:
    mind.add("Likes tea", user_id="ada")
    mind.add("Likes rum", user_id="ada")
    body = {"user_id": "ada", "version": 1}
    path = "/v1/memories/rollback"
    mind.client.post(path, body, Idempotency_Key="k-1")
    stepped_back(mind, user_id="ada", version=2)
    # As a day later: the document knows the key for ever.
    StoredAnswer.objects.all().delete()

    again = mind.client.post(path, body, Idempotency_Key="k-1")

    assert again.status == 200
    assert mind.listed(user_id="ada") == ["Likes rum", "Likes tea"]


def test_a_deletion_that_is_sent_again_deletes_nothing_that_was_brought_back(
    mind: Mind,
) -> None:
    made = mind.add("Likes tea", user_id="ada")
    path = f"/v1/memories/{made['id']}"
    mind.client.delete(path, Idempotency_Key="k-1")
    stepped_back(mind, user_id="ada", version=1)
    StoredAnswer.objects.all().delete()

    assert mind.client.delete(path, Idempotency_Key="k-1").status == 204

    assert mind.listed(user_id="ada") == ["Likes tea"]


def test_many_are_stepped_back_by_a_few_statements(
    mind: Mind, django_assert_max_num_queries: Any
) -> None:
    items = [
        {"id": str(n), "memory": f"Fact {n}", "user_id": "ada"} for n in range(200)
    ]
    done(mind.client.post("/v1/memories/import", {"memories": items}))

    with django_assert_max_num_queries(110):
        assert stepped_back(mind, user_id="ada", version=0)["count"] == 200

    assert mind.listed(user_id="ada") == []
    stepped_back(mind, user_id="ada", version=200)
    rows = Memory.objects.filter(status="believed")
    assert set(rows.values_list("ordinal", flat=True)) == {3}


def test_of_what_is_forgotten_the_first_are_shown(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "SHOWN", 1)
    session = mind.session(user="ada")
    for fact in ("Likes tea", "Pays late"):
        mind.add(fact, session_id=session, scope="user")

    told = stepped_back(mind, from_session=session)

    (owner,) = told["owners"]
    assert (told["count"], owner["count"], owner["has_more"]) == (2, 2, True)
    assert [one["before"]["content"] for one in owner["changes"]] == ["Likes tea"]


def test_of_more_sources_than_are_kept_it_is_said_that_some_are_not_known(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sureness, "MOST_SOURCES", 2)
    text, place = "Is an admin", {"scope": "user"}
    first, cut, *kept = (mind.session(user="ada") for _ in range(4))
    made = mind.add(text, session_id=first, confidence=0.5, **place)
    mind.add(text, session_id=cut, confidence=0.9, **place)
    for session in kept:
        mind.add(text, session_id=session, confidence=0.5, **place)
    before = done(mind.read(made["id"]))
    assert (before["reinforced"], before["untraced"]) == (3, 1)

    lost = stepped_back(mind, from_session=cut)
    assert (lost["count"], lost["untraced"]) == (0, 1)
    assert done(mind.read(made["id"])) == before
    for session in (first, *kept):
        assert stepped_back(mind, from_session=session)["count"] == 1

    # All that are known are forgotten; what the other one said is not.
    left = done(mind.read(made["id"]))
    assert left["status"] == "dropped"
