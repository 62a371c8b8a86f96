"""Whether turns form memories, on the agent's page; and the patches they propose."""

from typing import Any

import pytest

from apps.accounts.models import Role
from apps.agents.models import Agent
from tests.console.agent_pages import plain
from tests.console.test_memories import mind, person
from tests.memory.conftest import Mind, done
from tests.memory.test_patches import head, patch_of

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


def patch_proposed(mind: Mind) -> Any:
    session = mind.session(agent="travel")
    mind.change_state(session, seat="window")
    return session, patch_of(mind, session)


def test_a_patch_is_shown_with_what_it_would_change_and_is_written(
    mind: Mind, person: Any
) -> None:
    session, made = patch_proposed(mind)
    operator = person(Role.OPERATOR)

    page = operator.looks("memory", made["id"])
    shown = plain(page)
    assert "A patch that the agent proposed" in shown
    assert '"seat": "aisle"' in shown
    assert "What it would change" in shown
    assert '"window"' in shown
    assert "Accept it" not in shown
    assert "Make it the user's" not in shown
    seen = head(mind, session)["version"]
    assert f'name="expected" value="{seen}"' in page
    given = {"decision": "accept", "expected": seen, "reason": "asked", "key": "k1"}
    sent = [operator.acts("decide_memory", made["id"], **given) for _ in range(2)]

    assert {one.status_code for one in sent} == {303}
    after = head(mind, session)
    assert (after["version"], after["state"]["seat"]) == (seen + 1, "aisle")
    shown = plain(operator.looks("memory", made["id"]))
    assert f"It is v{seen + 1} of its session" in shown
    assert "Write it to the session" not in shown


def test_a_patch_seen_on_an_older_head_is_shown_anew(mind: Mind, person: Any) -> None:
    session, made = patch_proposed(mind)
    operator, seen = person(Role.OPERATOR), head(mind, session)["version"]
    mind.change_state(session, seat="exit row")

    given = {"decision": "accept", "expected": seen, "key": "k1"}
    refused = operator.acts("decide_memory", made["id"], **given)

    assert refused.status_code == 409
    assert '"exit row"' in plain(refused.content.decode())
    assert head(mind, session)["state"]["seat"] == "exit row"


def test_a_paused_session_takes_no_patch_from_a_person_either(
    mind: Mind, person: Any
) -> None:
    session, made = patch_proposed(mind)
    done(mind.client.post(f"/v1/sessions/{session}/pause", {}))
    operator = person(Role.OPERATOR)

    page = operator.looks("memory", made["id"])
    assert "The session is paused" in plain(page)
    assert "Write it to the session" not in page
    refused = operator.acts("decide_memory", made["id"], decision="accept", key="k1")
    assert refused.status_code == 423
    dropped = operator.acts("decide_memory", made["id"], decision="drop", key="k2")
    assert dropped.status_code == 303


def test_a_hostile_patch_is_text(mind: Mind, person: Any) -> None:
    session = mind.session(agent="travel")
    said = '<state_update>{"<script>alert(1)</script>": "\\u202e"}</state_update>'
    made = patch_of(mind, session, said)

    page = person(Role.VIEWER).looks("memory", made["id"])

    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "Write it to the session" not in page


def test_a_viewer_sets_nothing(mind: Mind, person: Any) -> None:
    agent, viewer = agent_of(mind), person(Role.VIEWER)

    assert "Turns form memories" not in viewer.looks("agent_detail", agent)
    assert viewer.acts("set_formation", agent, mode="tags").status_code == 403
    assert mode(mind) == "off"
