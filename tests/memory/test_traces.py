"""What was done to memories is among the traces of the session that taught them."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Project
from apps.audit.models import Event
from apps.memory import operations as memory
from tests.acts import SYSTEM
from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db


def traces(client: Any, path: str = "/v1/traces", **query: Any) -> list[Any]:
    found: list[Any] = done(client.get(path, query))["data"]
    return found


def of_memories(client: Any, **query: Any) -> list[tuple[str | None, Any]]:
    return [
        (one["session_id"], one["details"]["memory_id"])
        for one in traces(client, **query)
        if one["resource_type"] == "memory"
    ]


def test_a_memorys_trace_names_the_session_that_taught_it(mind: Mind) -> None:
    session = mind.session(user="ada")
    taught = mind.add("Prefers aisle seats", session_id=session, scope="user")
    own = mind.add("Wants to go to Rome", session_id=session)
    said = mind.add("Likes tea", user_id="ada")

    assert of_memories(mind.client) == [
        *((None, said["id"]), (session, own["id"]), (session, taught["id"]))
    ]
    newest = traces(mind.client)[0]
    assert (newest["action"], newest["version"]) == ("memory.created", None)
    assert done(mind.client.get(f"/v1/traces/{newest['id']}")) == newest
    assert not [one for one in traces(mind.client) if "doc_" in str(one["session_id"])]


def test_a_sessions_traces_have_what_it_taught_in_their_order(mind: Mind) -> None:
    session, other = mind.session(user="ada"), mind.session(user="ada")
    mind.change_state(session, step=1)
    taught = mind.add("Prefers aisle seats", session_id=session, scope="user")
    mind.change_state(session, step=2)
    mind.add("Likes tea", user_id="ada")
    mind.add("Is vegan", session_id=other, scope="user")
    done(mind.patch(taught["id"], tags=["seat"]))

    wanted = ["memory.updated", "state.updated", "memory.created", "state.updated"]
    for path in (f"/v1/traces/sessions/{session}/traces", "/v1/traces"):
        query = {} if session in path else {"session_id": session}
        found = traces(mind.client, path, **query)
        assert [one["action"] for one in found] == [*wanted, "session.created"]
        assert {one["session_id"] for one in found} == {session}
        pages = [traces(mind.client, path, **query, limit=2)]
        while len(pages[-1]) == 2:
            after = pages[-1][-1]["id"]
            more = {"limit": 2, "starting_after": after}
            pages.append(traces(mind.client, path, **query, **more))
        assert [one for page in pages for one in page] == found
    history = done(mind.client.get(f"/v1/sessions/{session}/history"))
    assert [one["action"] for one in history["traces"]] == [*wanted, "session.created"]


def test_traces_of_memories_are_filtered_as_others_are(mind: Mind) -> None:
    travel = mind.session(user="ada")
    billing = mind.session(user="bob", agent="billing")
    mine = mind.add("Prefers aisle seats", session_id=travel, scope="user")
    paid = mind.add("Has paid", session_id=billing, scope="user")
    mind.add("Likes tea", user_id="ada")

    assert of_memories(mind.client, agent_id="billing") == [(billing, paid["id"])]
    assert of_memories(mind.client, user_id="ada") == [(travel, mine["id"])]
    query = {"session_id": travel, "action": "memory.created"}
    assert len(traces(mind.client, **query)) == 1
    assert traces(mind.client, session_id=travel, action="memory.deleted") == []
    before = {"created_before": traces(mind.client, session_id=travel)[0]["created_at"]}
    assert of_memories(mind.client, session_id=travel, **before) == []


def test_a_key_for_some_agents_sees_what_their_sessions_taught(
    mind: Mind, api: Any, make_key: Any, other_project: Project
) -> None:
    travel = mind.session(user="ada")
    billing = mind.session(user="ada", agent="billing")
    theirs = mind.add("Prefers aisle seats", session_id=travel, scope="user")
    mine = mind.add("Has paid", session_id=billing, scope="user")
    known = mind.add("Answers in French", agent_id="billing")
    mind.add("Answers in German", agent_id="travel")
    mind.add("Likes tea", user_id="ada")
    # What another agent's session taught an agent names that session.
    mind.add("Offers seats", session_id=travel, agent_id="billing", scope="agent")
    limited = api(make_key(agents=["billing"]))

    found = of_memories(limited)

    assert found == [(None, known["id"]), (billing, mine["id"])]
    assert of_memories(limited, session_id=travel) == []
    assert of_memories(limited, session_id=billing) == [(billing, mine["id"])]
    (wanted,) = [
        one["id"]
        for one in traces(mind.client)
        if one["details"].get("memory_id") == theirs["id"]
    ]
    assert limited.get(f"/v1/traces/{wanted}").status == 404
    assert limited.get(f"/v1/traces/sessions/{travel}/traces").status == 404
    stranger = api(make_key(project=other_project))
    assert traces(stranger, session_id=billing) == []


def test_what_expired_names_the_session_that_it_was_of(mind: Mind) -> None:
    session = mind.session(user="ada")
    soon = timezone.now() + timedelta(seconds=30)
    mind.add("Is in Rome", session_id=session, expires_at=soon.isoformat())
    memory.expire_due(actor=SYSTEM, now=soon + timedelta(seconds=1))

    newest = traces(mind.client, session_id=session)[0]
    assert (newest["action"], newest["session_id"]) == ("memory.expired", session)


def test_what_a_session_taught_is_found_by_its_own_index(mind: Mind) -> None:
    found = Event.objects.for_project("p").of_memories(taught_by="sess_0")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        plan = found.newest_first()[:51].explain()

    assert "audit_event_of_memories" in plan
    assert "Sort" not in plan
