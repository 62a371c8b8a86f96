"""How many memories there are, as StateBase's dashboard asks."""

from typing import Any

import pytest

from apps.accounts.models import Project
from apps.memory.documents import counting
from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db


def total(client: Any) -> int:
    stats = done(client.get("/v1/dashboard/stats"))["stats"]
    return int(stats["total_memories"])


def test_what_is_believed_or_proposed_is_counted(mind: Mind) -> None:
    session = mind.session(user="ada")
    mind.add("Likes tea", user_id="ada")
    mind.add("Likes jazz", user_id="ada", confidence=0.2)
    mind.add("Closed on Sundays")
    mind.add("Answers in French", agent_id="travel")
    mind.add("Wants to go to Rome", session_id=session)
    mind.delete(mind.add("Open on Mondays")["id"])
    dropped = mind.add("Has paid")
    decision = {"memory_id": dropped["id"], "decision": "drop"}
    done(mind.client.post("/v1/memories/resolve", decision))

    assert total(mind.client) == 5
    mind.client.delete(f"/v1/sessions/{session}")
    assert total(mind.client) == 4


def test_a_key_for_some_agents_counts_what_it_may_see(
    mind: Mind, api: Any, make_key: Any, other_project: Project
) -> None:
    for agent in ("travel", "billing"):
        session = mind.session(user="ada", agent=agent)
        mind.add(f"Came to {agent}", session_id=session)
        mind.add(f"Works for {agent}", agent_id=agent)
        mind.add(f"Again for {agent}", agent_id=agent)
    mind.add("Likes tea", user_id="ada")
    mind.add("Closed on Sundays")

    assert total(mind.client) == 8
    assert total(api(make_key(agents=["billing"]))) == 5
    assert total(api(make_key(agents=["nobody"]))) == 2
    assert total(api(make_key(project=other_project))) == 0


def test_of_sessions_the_newest_are_counted(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "MOST_SESSIONS", 2)
    for place in range(3):
        session = mind.session()
        for fact in range(place + 1):
            mind.add(f"Fact {fact}", session_id=session)

    assert total(mind.client) == 5
