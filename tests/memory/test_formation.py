"""What agents mark in their turns is proposed, once, and carried out never."""

from typing import Any

import pytest
from django.utils import timezone

from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.memory.formation.forming import form_due
from apps.memory.formation.proposals import MOST
from apps.memory.formation.tags import marked
from apps.memory.models import FormingTurn
from apps.timeline.models import Session
from tests.acting import acting_as
from tests.feeding import feed_all
from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db
SAID = (
    "Noted. <memory>Prefers aisle seats</memory> And "
    '<state_update>{"seat": "aisle"}</state_update>'
)


def say(mind: Mind, session: str, output: Any = SAID) -> Any:
    body = {"input": "An aisle seat, please", "output": output}
    return done(mind.client.post(f"/v1/sessions/{session}/turns", body))


def form() -> int:
    """Do what the worker does once a turn is fed."""
    with acting_as(Role.WORKER):
        feed_all(now=timezone.now())
        return form_due(actor=SYSTEM, now=timezone.now())


def switch(mind: Mind, mode: str, agent: str = "travel") -> Any:
    return done(mind.client.put(f"/v1/memories/formation/{agent}", {"mode": mode}))


def proposed(mind: Mind, session: str) -> Any:
    query = {"session_id": session, "status": "proposed"}
    return done(mind.client.get("/v1/memories", query))["data"]


def test_nothing_is_formed_until_it_is_asked_for(mind: Mind) -> None:
    session = mind.session()
    switch(mind, "tags")
    switch(mind, "off")
    say(mind, session)

    assert form() == 0
    assert proposed(mind, session) == []
    path = "/v1/memories/formation/travel"
    assert done(mind.client.get(path))["mode"] == "off"
    assert mind.client.put(path, {"mode": "magic"}).param == "mode"
    assert mind.client.get("/v1/memories/formation/nobody").status == 404


def test_a_patch_that_is_too_large_holds_up_no_other_mark(mind: Mind) -> None:
    session = mind.session()
    switch(mind, "tags")
    large = '<state_update>{"a": "' + "\U0001f642" * 5_000 + '"}</state_update>'
    say(mind, session, f"{large}<memory>Likes tea</memory>")

    assert form() == 1

    assert [one["content"] for one in proposed(mind, session)] == ["Likes tea"]
    path = "/v1/memories/formation/travel"
    assert done(mind.client.get(path))["given_up"] == 0


def test_what_is_marked_is_proposed_with_its_turn(mind: Mind) -> None:
    session = mind.session(user="ada")
    switch(mind, "tags")
    mind.change_state(session, step=1)
    turn = say(mind, session)

    assert form() == 2

    memory, update = sorted(proposed(mind, session), key=lambda one: one["type"])
    assert (memory["content"], memory["confidence"]) == ("Prefers aisle seats", 0.6)
    assert memory["source"] == {
        "session_id": session,
        "version": 1,
        "turn_id": turn["id"],
        "by": "tags",
    }
    assert (update["type"], update["metadata"]) == (
        "state_update",
        {"patch": {"seat": "aisle"}},
    )
    state = done(mind.client.get(f"/v1/sessions/{session}/state"))["state"]
    assert "seat" not in state
    assert mind.recalled(session, query="aisle seats") == []


def test_a_turn_forms_its_proposals_once(mind: Mind) -> None:
    session = mind.session()
    switch(mind, "tags")
    turn = say(mind, session)
    form()
    body = {"memory_id": proposed(mind, session)[0]["id"], "decision": "drop"}
    done(mind.client.post("/v1/memories/resolve", body))

    with acting_as(Role.WORKER):
        FormingTurn.objects.create(
            session_id=session,
            turn_id=turn["id"],
            project_id=Session.objects.get(id=session).project_id,
            noted_at=timezone.now(),
        )
    assert form() == 0

    (left,) = proposed(mind, session)
    assert left["version"] == 1
    assert not FormingTurn.objects.exists()


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("nothing", []),
        ("<memory></memory><memory> </memory>", []),
        ("<memory>open", []),
        ("</memory><memory>a</memory>", ["a"]),
        ("<memory><memory>a</memory></memory>", ["<memory>a"]),
        ("<state_update>[1]</state_update><state_update>{</state_update>", []),
        ('<state_update>{"a":1}</state_update><memory>b</memory>', ['{"a":1}', "b"]),
        ("<memory>" + "x" * 10_001 + "</memory>", []),
        ("<memory>a</memory>" * 30, ["a"] * MOST),
        ("<memory>" * 200_000, []),
    ],
)
def test_marks_are_read_strictly(text: str, contents: list[str]) -> None:
    assert [one.content for one in marked(text)] == contents
