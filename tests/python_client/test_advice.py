"""Advice, facets and moves with the client: what the server says, passed on."""

from __future__ import annotations

from typing import Any


def test_advice_facets_and_moves_are_passed_on(
    sb: Any, session: Any, agent_id: str
) -> None:
    sb.sessions.update_state(
        session.id, {"n": 1}, release="1", tasks=[{"id": "a", "status": "failed"}]
    )
    sb.sessions.update_state(session.id, {"n": 2}, release="2")

    advice = sb.agents.advice(agent_id)
    assert advice.looked_at["sessions"] == 1
    assert {one["policy"] for one in advice.policies} >= {"now", "heartbeat"}
    assert "versions_without_reasoning" in advice.advice

    found = sb.search(f"task:a=failed agent:{agent_id}", include_facets=True)
    assert [one.session_id for one in found.data] == [session.id]
    assert {"of": "task", "term": "task:failed", "count": 1} in found.raw["facets"][
        "data"
    ]

    (move,) = sb.sessions.preview_rollback(session.id, 6, release="3").moves
    assert (move["was"], move["now"]) == ("1", "3")
    assert sb.sessions.checkpoint(session.id, release="2").moves == []
