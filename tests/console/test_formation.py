"""Whether an agent's turns form memories, on the agent's page."""

from typing import Any

import pytest

from apps.accounts.models import Role
from apps.agents.models import Agent
from tests.console.agent_pages import plain
from tests.console.test_memories import mind, person
from tests.memory.conftest import Mind, done

__all__ = ["mind", "person"]
pytestmark = pytest.mark.django_db


def agent_of(mind: Mind) -> str:
    mind.session(agent="travel")
    return str(Agent.objects.get(external_id="travel").id)


def mode(mind: Mind) -> Any:
    return done(mind.client.get("/v1/memories/formation/travel"))["mode"]


def test_an_operator_has_turns_form_memories(mind: Mind, person: Any) -> None:
    agent, operator = agent_of(mind), person(Role.OPERATOR)
    assert "its turns form no memories" in plain(operator.looks("agent_detail", agent))

    assert operator.acts("set_formation", agent, mode="tags").status_code == 302

    page = plain(operator.looks("agent_detail", agent))
    assert "What it marks with <memory>" in page
    assert mode(mind) == "tags"


def test_an_endpoint_is_offered_where_there_is_one(
    mind: Mind, person: Any, settings: Any
) -> None:
    agent, operator = agent_of(mind), person(Role.OPERATOR)
    page = operator.looks("agent_detail", agent)
    assert 'value="llm"' not in page
    assert "STEPBACK_FORMATION_URL" in page
    refused = operator.acts("set_formation", agent, mode="llm")
    assert refused.status_code == 400
    assert "this server has none" in plain(refused.content.decode())
    assert mode(mind) == "off"

    settings.FORMATION_URL = "https://models.example.com/v1"
    assert 'value="llm"' in operator.looks("agent_detail", agent)
    operator.acts("set_formation", agent, mode="llm")
    assert mode(mind) == "llm"
    settings.FORMATION_URL = ""
    page = plain(operator.looks("agent_detail", agent))
    assert "nothing is formed until it has one" in page


def test_a_viewer_sets_nothing(mind: Mind, person: Any) -> None:
    agent, viewer = agent_of(mind), person(Role.VIEWER)

    assert "Turns form memories" not in viewer.looks("agent_detail", agent)
    assert viewer.acts("set_formation", agent, mode="tags").status_code == 403
    assert mode(mind) == "off"
