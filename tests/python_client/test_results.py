"""Results from the record with the client: asked for, listed, forgotten."""

from __future__ import annotations

from typing import Any

import pytest

from stepback.errors import CacheInvalid

CACHE = {"ttl": 3600, "scope": "agent"}
CALL = {"tool": "find_flights", "arguments": {"to": "OSL"}}


def look(sb: Any, session: Any, key: str, **said: Any) -> Any:
    asked = {"effect_class": "read", "cache": CACHE, **CALL, **said}
    return sb.sessions.begin_effect(session.id, key, **asked)


def test_a_read_that_was_made_answers_the_next(
    sb: Any, session: Any, agent_id: str
) -> None:
    first = look(sb, session, "first")
    assert first.run
    sb.sessions.finish_effect(session.id, first.id, first.attempt, result=["SK 1"])

    second = look(sb, session, "second")
    other = look(sb, sb.sessions.create(agent_id=agent_id), "third")

    assert (second.run, second.status, second.result) == (False, "reused", ["SK 1"])
    assert second.source["effect_id"] == first.id
    assert other.source["session_id"] == session.id
    assert sb.sessions.effect(session.id, second.id).source == second.source
    (listed,) = sb.sessions.results(session.id, tool="find_flights", ttl=600).data
    assert (listed.id, listed.reused, listed.result) == (first.id, 1, ["SK 1"])
    assert [one.id for one in sb.agents.results(agent_id).data] == [first.id]


def test_what_is_forgotten_runs_again(sb: Any, session: Any, agent_id: str) -> None:
    first = look(sb, session, "first")
    sb.sessions.finish_effect(session.id, first.id, first.attempt, result=["SK 1"])

    made = sb.sessions.forget_results(session.id, "Prices changed.", **CALL)

    assert (made.by, made.tool, made.reason) == (
        "call",
        "find_flights",
        "Prices changed.",
    )
    again = look(sb, session, "second")
    assert again.run
    sb.sessions.finish_effect(session.id, again.id, again.attempt, result=[])
    assert sb.agents.forget_results(agent_id, "All.", everything=True).by == "all"
    assert look(sb, session, "third").run


def test_a_cache_that_is_not_understood_has_an_error_of_its_own(
    sb: Any, session: Any
) -> None:
    with pytest.raises(CacheInvalid) as refused:
        look(sb, session, "first", cache={"ttl": 0})

    assert refused.value.param == "cache.ttl"
