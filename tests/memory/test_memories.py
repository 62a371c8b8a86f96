"""Memories are added, read, listed, changed and deleted, and keep their history."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db


def test_a_memory_is_read_as_it_was_added(mind: Mind) -> None:
    session = mind.session()
    mind.change_state(session, step=1)

    made = mind.add(
        "Prefers aisle seats",
        session_id=session,
        type="preference",
        tags=["seats", "travel", "seats"],
        metadata={"from": "chat"},
    )

    assert made["object"] == "memory"
    assert (made["session_id"], made["scope"]) == (session, "session")
    assert (made["content"], made["type"]) == ("Prefers aisle seats", "preference")
    assert (made["tags"], made["metadata"]) == (["seats", "travel"], {"from": "chat"})
    assert (made["status"], made["confidence"], made["version"]) == ("believed", 1, 1)
    source = {"session_id": session, "version": 1, "turn_id": None, "by": "api"}
    assert made["source"] == source
    assert done(mind.read(made["id"])) == made


@pytest.mark.parametrize(
    ("named", "scope", "session_id"),
    [
        ({}, "project", ""),
        ({"session_id": None}, "project", ""),
        ({"session_id": "", "scope": "global"}, "project", ""),
        ({"user_id": "ada"}, "user", ""),
        ({"agent_id": "travel"}, "agent", ""),
        ({"user_id": "ada", "agent_id": "travel"}, "user", ""),
    ],
)
def test_it_belongs_to_the_narrowest_scope_that_is_named(
    mind: Mind, named: dict[str, Any], scope: str, session_id: str
) -> None:
    mind.session()

    made = mind.add("Ships on Mondays", **named)

    assert (made["scope"], made["session_id"]) == (scope, session_id)


def test_what_a_session_teaches_of_its_user_says_so(mind: Mind) -> None:
    session = mind.session(user="ada")

    made = mind.add("Is vegetarian", session_id=session, scope="user")

    assert (made["user_id"], made["session_id"]) == ("ada", session)
    assert mind.listed(user_id="ada") == ["Is vegetarian"]
    assert mind.listed(user_id="bob") == []


def test_a_list_has_what_a_session_can_see_the_newest_first(mind: Mind) -> None:
    session = mind.session(user="ada")
    mind.add("Closed on Sundays")
    mind.add("Answer in English", agent_id="travel")
    mind.add("Is vegetarian", user_id="ada", type="fact", tags=["food"])
    mind.add("Wants to go to Rome", session_id=session, type="fact")
    mind.add("Is allergic to nuts", user_id="bob", type="fact")

    everything = [
        *("Wants to go to Rome", "Is vegetarian"),
        *("Answer in English", "Closed on Sundays"),
    ]
    assert mind.listed(session_id=session) == everything
    assert mind.listed(session_id=session, type="fact") == everything[:2]
    assert mind.listed(session_id=session, tags="x,food") == ["Is vegetarian"]
    assert mind.listed(session_id=session, scope="user") == ["Is vegetarian"]
    assert mind.listed() == ["Closed on Sundays"]


def test_pages_of_a_list_follow_each_other(mind: Mind) -> None:
    for number in range(5):
        mind.add(f"Fact {number}")

    first = done(mind.client.get("/v1/memory", {"limit": 2}))
    rest = mind.listed(limit=10, starting_after=first["last_id"])

    assert first["has_more"] is True
    shown = [one["content"] for one in first["data"]] + rest
    assert shown == [f"Fact {number}" for number in (4, 3, 2, 1, 0)]
    for wrong in ("mem_nope", f"sess_{'0' * 26}"):
        refused = mind.client.get("/v1/memories", {"starting_after": wrong})
        assert (refused.status, refused.param) == (400, "starting_after")


def test_equal_text_from_another_source_reinforces(mind: Mind) -> None:
    first, second = mind.session(), mind.session()
    made = mind.add("Is vegetarian", session_id=first, scope="user", confidence=0.8)

    again = mind.add("is  VEGETARIAN", session_id=second, scope="user")
    repeated = mind.add("Is vegetarian", session_id=second, scope="user")

    assert again["id"] == repeated["id"] == made["id"]
    assert again["content"] == "Is vegetarian"
    assert (again["reinforced"], again["version"]) == (1, 2)
    assert again["confidence"] > made["confidence"]
    assert repeated["version"] == 2
    assert mind.listed(user_id="ada") == ["Is vegetarian"]


@pytest.mark.parametrize(
    "near", ["Order 4711 was paid", "Order 4712 was not paid", "Anna paid order 4712"]
)
def test_near_text_is_flagged_and_never_merged(mind: Mind, near: str) -> None:
    made = mind.add("Order 4712 was paid")

    other = mind.add(near)

    assert other["id"] != made["id"]
    assert [one["id"] for one in other["near"]] == [made["id"]]
    assert sorted(mind.listed()) == sorted([near, "Order 4712 was paid"])


def test_low_confidence_is_a_proposal_and_stays_out_of_search(mind: Mind) -> None:
    session = mind.session()
    made = mind.add("May like jazz", session_id=session, confidence=0.4)

    assert made["status"] == "proposed"
    assert mind.found("jazz", session_id=session, threshold=0) == []
    assert mind.recalled(session, query="jazz") == []
    assert mind.listed(session_id=session, status="proposed") == ["May like jazz"]


def test_what_was_proposed_is_believed_once_its_own_source_is_sure(mind: Mind) -> None:
    session = mind.session()
    made = mind.add("Likes jazz", session_id=session, confidence=0.4)

    doubted = mind.add("Likes jazz", session_id=session, confidence=0.6)
    sure = mind.add("likes jazz", session_id=session, confidence=0.9)
    repeated = mind.add("Likes jazz", session_id=session, confidence=0.4)

    assert doubted == made
    assert (sure["id"], sure["status"]) == (made["id"], "believed")
    assert (sure["confidence"], sure["reinforced"]) == (0.9, 0)
    assert repeated == sure
    assert mind.recalled(session, query="jazz") == ["Likes jazz"]


def test_saying_it_again_undoes_no_decision(mind: Mind) -> None:
    made = mind.add("Likes jazz", user_id="ada")
    done(mind.patch(made["id"], confidence=0.3))

    again = mind.add("Likes jazz", user_id="ada")

    assert (again["status"], again["confidence"]) == ("proposed", 0.3)


def test_put_sets_metadata_and_patch_merges_it(mind: Mind) -> None:
    made = mind.add("Likes tea", metadata={"a": 1, "b": 2}, tags=["x"])

    merged = done(mind.patch(made["id"], metadata={"b": 3}, tags=["y"]))
    path = f"/v1/memories/{made['id']}"
    whole = done(mind.client.put(path, {"content": "Likes tea", "metadata": {"c": 4}}))

    assert (merged["metadata"], merged["tags"]) == ({"a": 1, "b": 3}, ["y"])
    assert (whole["metadata"], whole["tags"]) == ({"c": 4}, ["y"])
    assert whole["version"] == 3


def test_a_change_that_changes_nothing_makes_no_version(mind: Mind) -> None:
    made = mind.add("Likes tea")

    same = done(mind.patch(made["id"], content="Likes tea", type="general"))

    assert same == made


def test_a_change_to_another_version_than_was_seen_is_refused(mind: Mind) -> None:
    made = mind.add("Likes tea")
    done(mind.patch(made["id"], content="Likes coffee", expected_version=1))

    refused = mind.patch(made["id"], content="Likes juice", expected_version=1)

    assert (refused.status, refused.code) == (409, "version_conflict")
    assert done(mind.read(made["id"]))["content"] == "Likes coffee"


def test_no_change_ends_a_memory_in_the_past(mind: Mind) -> None:
    made = mind.add("Likes tea", user_id="ada")

    answer = mind.patch(made["id"], expires_at="2020-01-01T00:00:00Z")

    assert (answer.status, answer.param) == (400, "expires_at")
    assert mind.listed(user_id="ada") == ["Likes tea"]


def test_what_is_deleted_is_gone_and_stays_in_its_history(mind: Mind) -> None:
    made = mind.add("Likes tea", user_id="ada")
    done(mind.patch(made["id"], content="Likes coffee", reasoning="she said so"))

    assert mind.delete(made["id"]).status == 204

    assert (mind.read(made["id"]).status, mind.read(made["id"]).code) == (
        404,
        "memory_not_found",
    )
    assert mind.delete(made["id"]).status == 404
    assert mind.listed(user_id="ada") == []
    assert mind.found("coffee", user_id="ada", threshold=0) == []
    removed, changed, first = mind.versions(made["id"])
    assert (removed["cause"], removed["memory"]) == ("removed", None)
    assert changed["memory"]["content"] == "Likes coffee"
    assert changed["reasoning"] == "she said so"
    assert first["memory"]["content"] == "Likes tea"


def test_what_was_deleted_can_be_said_again(mind: Mind) -> None:
    made = mind.add("Likes tea")
    mind.delete(made["id"])

    again = mind.add("Likes tea")

    assert again["id"] != made["id"]
    assert mind.listed() == ["Likes tea"]


def test_a_lost_answer_is_given_again(mind: Mind) -> None:
    body = {"content": "Likes tea", "user_id": "ada"}
    first = mind.client.post("/v1/memories", body, Idempotency_Key="k-1")
    mind.patch(first.body["id"], content="Likes coffee")

    again = mind.client.post("/v1/memories", body, Idempotency_Key="k-1")

    assert (again.status, again.content) == (201, first.content)
    assert mind.listed(user_id="ada") == ["Likes coffee"]


def test_memories_of_a_session_end_with_it(mind: Mind) -> None:
    session = mind.session(user="ada")
    ended = mind.add("Wants to go to Rome", session_id=session)
    kept = mind.add("Is vegetarian", session_id=session, scope="user")

    mind.client.delete(f"/v1/sessions/{session}")

    assert mind.read(ended["id"]).status == 404
    assert mind.client.get("/v1/memories", {"session_id": session}).status == 404
    assert done(mind.read(kept["id"]))["content"] == "Is vegetarian"


def test_memories_of_a_session_end_when_its_time_is_over(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"agent_id": "travel", "user_id": "ada", "ttl_seconds": 60}
    session = str(done(mind.client.post("/v1/sessions", body))["id"])
    ended = mind.add("Wants to go to Rome", session_id=session)
    kept = mind.add("Is vegetarian", session_id=session, scope="user")
    found = {"session_id": session, "threshold": 0}
    assert len(mind.found("Rome", **found)) == 2

    later = timezone.now() + timedelta(seconds=61)
    monkeypatch.setattr("apps.timeline.api.base.timezone.now", lambda: later)

    assert mind.read(ended["id"]).code == "memory_not_found"
    assert mind.patch(ended["id"], content="x").code == "memory_not_found"
    for query in ({"session_id": session}, {"query": "Rome", **found}):
        assert mind.client.get("/v1/memories", query).code == "session_not_found"
    assert mind.found("Rome vegetarian", user_id="ada", threshold=0) == [
        "Is vegetarian"
    ]
    assert done(mind.read(kept["id"]))["content"] == "Is vegetarian"


def test_both_names_of_the_collection_answer_alike(mind: Mind) -> None:
    session = mind.session()
    made = mind.add("Prefers aisle seats", session_id=session, memory_type="fact")

    by_session = f"/v1/sessions/{session}/memories"
    body = {"query": "aisle seats", "top_k": 3}
    answers = [
        mind.client.post("/v1/memory/search", body | {"session_id": session}),
        mind.client.post(f"{by_session}/search", body),
        mind.client.get(by_session, body),
        mind.client.get("/v1/memories/search", body | {"session_id": session}),
    ]

    assert done(mind.client.get(f"/v1/memory/{made['id']}")) == made
    assert made["type"] == "fact"
    for answer in answers:
        (found,) = done(answer)["data"]
        assert (found["id"], found["session_id"]) == (made["id"], session)
        assert found["score"] >= 0.7


@pytest.mark.parametrize(
    ("body", "status", "code", "param"),
    [
        ({"content": ""}, 400, "invalid_request", "content"),
        ({"content": " \n "}, 400, "invalid_request", "content"),
        ({"content": 5}, 400, "invalid_request", "content"),
        ({}, 400, "invalid_request", "content"),
        ({"content": "x" * 10_001}, 413, "content_too_large", "content"),
        ({"content": "x", "tags": ["t"] * 51}, 400, "invalid_request", "tags"),
        ({"content": "x", "confidence": 1.5}, 400, "invalid_request", "confidence"),
        ({"content": "x", "scope": "world"}, 400, "invalid_request", "scope"),
        ({"content": "x", "scope": "user"}, 400, "invalid_request", "user_id"),
        ({"content": "x", "turn_id": "t"}, 400, "invalid_request", "turn_id"),
        ({"content": "x", "session_id": "s"}, 404, "session_not_found", "session_id"),
        ({"content": "x", "agent_id": "nobody"}, 404, "agent_not_found", "agent_id"),
        ({"content": "x", "metadata": {"a": "x" * 16_400}}, 413, None, "metadata"),
        ({"content": "x", "contents": "y"}, 400, "unknown_field", "contents"),
        ({"content": b"\xed\xa0\x80".decode(errors="replace")}, 201, None, None),
    ],
)
def test_bad_input_is_refused_by_name(
    mind: Mind, body: Any, status: int, code: str | None, param: str | None
) -> None:
    answer = mind.client.post("/v1/memories", body)

    assert answer.status == status, answer.content
    if status >= 400:
        assert answer.param == param
        assert code in (None, answer.code)


def test_hostile_text_is_kept_as_it_is(mind: Mind) -> None:
    texts = [
        "<script>alert(1)</script>",
        "\u202eevil\u202c {{ 7*7 }}",
        "😀" * 10_000,
        "{% raw %} %s $1 \\ ' \"",
    ]
    made = [mind.add(text) for text in texts]

    assert [one["content"] for one in made] == texts
    assert mind.listed() == texts[::-1]
