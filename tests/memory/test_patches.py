"""A proposed patch becomes a version of its session, once, or nothing at all."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from apps.audit.models import AuditRecord
from apps.core.roles.names import Role
from apps.memory.models import FormingTurn
from apps.memory.operations import patches
from apps.timeline.errors import DocumentHeld
from apps.timeline.models import Session
from tests.acting import acting_as
from tests.conftest import Answer
from tests.memory.conftest import Mind, done
from tests.memory.test_formation import form, proposed, say, switch

pytestmark = pytest.mark.django_db
MARKED = '<state_update>{"seat": "aisle"}</state_update>'


def patch_of(mind: Mind, session: str, said: str = MARKED) -> Any:
    """Have an agent propose a patch; return the proposal."""
    switch(mind, "tags")
    say(mind, session, said)
    form()
    (made,) = proposed(mind, session)
    return made


def decide(mind: Mind, made: Any, decision: str = "accept", **more: Any) -> Answer:
    body = {"memory_id": made["id"], "decision": decision, **more}
    return mind.client.post("/v1/memories/resolve", body)


def head(mind: Mind, session: str) -> Any:
    return done(mind.client.get(f"/v1/sessions/{session}/state"))


def test_an_accepted_patch_is_merged_as_a_version_that_names_it(
    mind: Mind, administrator: Mind
) -> None:
    session = mind.session()
    mind.change_state(session, seat="window", step=1)
    made = patch_of(mind, session)
    before = head(mind, session)

    (taken,) = done(decide(administrator, made, reasoning="She said so."))["data"]

    after = head(mind, session)
    assert after["state"] == before["state"] | {"seat": "aisle"}
    assert after["version"] == before["version"] + 1
    assert (taken["status"], taken["taken_version"]) == ("taken", after["version"])
    path = f"/v1/sessions/{session}/versions/{after['version']}"
    reasoning = done(mind.client.get(path))["reasoning"]
    assert made["id"] in reasoning
    assert reasoning.endswith("She said so.")
    assert AuditRecord.objects.filter(action="memory.resolve").count() == 1


def test_it_is_written_once_however_often_it_is_accepted(
    mind: Mind, administrator: Mind
) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    first = done(decide(administrator, made))
    mind.change_state(session, seat="window")
    version = head(mind, session)["version"]

    assert done(decide(administrator, made)) == first
    assert done(decide(administrator, made, expected_version=0)) == first
    assert done(decide(administrator, made, expected_memory_version=1)) == first
    assert head(mind, session)["version"] == version
    assert head(mind, session)["state"]["seat"] == "window"


def test_of_two_that_accept_it_at_once_one_writes_it(
    mind: Mind, administrator: Mind, monkeypatch: Any
) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    version = head(mind, session)["version"]
    real, others = patches.head_of, []

    def overtaken(*args: Any, **more: Any) -> Any:
        seen = real(*args, **more)
        monkeypatch.setattr(patches, "head_of", real)
        others.append(done(decide(administrator, made)))
        return seen

    monkeypatch.setattr(patches, "head_of", overtaken)

    assert [done(decide(administrator, made))] == others
    assert head(mind, session)["version"] == version + 1


@pytest.mark.django_db(transaction=True)
def test_nothing_is_written_where_it_cannot_be_marked_as_taken(
    mind: Mind, administrator: Mind, monkeypatch: Any
) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    before = head(mind, session)
    with monkeypatch.context() as patched:
        patched.setattr(patches, "store", _refused)
        assert decide(administrator, made).status == 423

    assert head(mind, session) == before
    assert proposed(mind, session) == [made]
    (taken,) = done(decide(administrator, made))["data"]
    assert taken["taken_version"] == before["version"] + 1


def test_a_second_patch_of_the_same_words_is_another_proposal(
    mind: Mind, administrator: Mind
) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    done(decide(administrator, made))

    again = patch_of(mind, session)

    assert again["id"] != made["id"]


def test_a_turn_that_is_formed_again_proposes_its_patch_no_more(
    mind: Mind, administrator: Mind
) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    done(decide(administrator, made))
    note_again(session, made["source"]["turn_id"])

    assert form() == 0
    assert proposed(mind, session) == []


def test_no_key_that_a_client_sends_keeps_a_patch_from_being_accepted(
    mind: Mind, administrator: Mind
) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    path = f"/v1/sessions/{session}/state"
    key = f"proposal:{made['id']}"
    done(mind.client.patch(path, {"state": {"x": 1}}, Idempotency_Key=key))
    taken = mind.client.patch(path, {"state": {}}, Idempotency_Key=f"{key},v1")
    assert (taken.status, taken.param) == (400, "Idempotency-Key")

    (accepted,) = done(decide(administrator, made))["data"]

    assert accepted["taken_version"] == head(mind, session)["version"]
    assert head(mind, session)["state"]["seat"] == "aisle"


def test_a_patch_that_was_stepped_back_to_is_written_anew(
    mind: Mind, administrator: Mind
) -> None:
    session = mind.session()
    mind.change_state(session, seat="window")
    made = patch_of(mind, session)
    before = head(mind, session)["version"]
    done(decide(administrator, made))
    mind.step_back(session, before)
    body = {"session_id": session, "scope": "session", "version": made["number"]}
    done(mind.client.post("/v1/memories/rollback", body))
    assert head(mind, session)["state"]["seat"] == "window"

    (again,) = done(decide(administrator, made))["data"]

    assert head(mind, session)["state"]["seat"] == "aisle"
    assert again["taken_version"] == head(mind, session)["version"]


def test_two_patches_of_one_turn_are_two_versions(
    mind: Mind, administrator: Mind
) -> None:
    session = mind.session()
    other = '<state_update>{"meal": "vegan"}</state_update>'
    switch(mind, "tags")
    say(mind, session, MARKED + other)
    form()
    both = proposed(mind, session)

    taken = [done(decide(administrator, one))["data"][0] for one in both]

    assert len({one["taken_version"] for one in taken}) == 2
    state = head(mind, session)["state"]
    assert (state["seat"], state["meal"]) == ("aisle", "vegan")


def test_a_patch_is_no_belief(mind: Mind, administrator: Mind) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    text = made["content"]
    assert made["vector_available"] is False

    said = mind.add(text, session_id=session)
    assert (said["id"] != made["id"], said["near"]) == (True, [])
    assert done(mind.read(made["id"]))["status"] == "proposed"
    mind.delete(said["id"])
    done(decide(administrator, made))

    assert mind.recalled(session) == []
    assert mind.recalled(session, query=text) == []
    assert mind.found(text, session_id=session, threshold=0) == []
    assert mind.listed(session_id=session, status="taken") == [text]


def test_a_dropped_patch_writes_nothing(mind: Mind, administrator: Mind) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    before = head(mind, session)

    (dropped,) = done(decide(mind, made, "drop"))["data"]

    assert (dropped["status"], dropped["taken_version"]) == ("dropped", None)
    assert head(mind, session) == before
    (back,) = done(decide(administrator, made))["data"]
    assert back["status"] == "taken"
    late = decide(administrator, made, "drop")
    assert (late.status, late.param) == (400, "decision")
    assert "roll that back" in late.content.decode()


def test_an_agents_own_key_does_not_accept_its_patch(mind: Mind) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    before = head(mind, session)

    refused = decide(mind, made)

    assert (refused.status, refused.code) == (403, "permission_denied")
    assert head(mind, session) == before
    assert proposed(mind, session) == [made]


@pytest.mark.parametrize(
    ("act", "status", "code"),
    [
        ("pause", 423, "session_paused"),
        ("close", 409, "session_closed"),
        ("delete", 404, "memory_not_found"),
    ],
)
def test_a_session_that_is_held_over_or_gone_takes_no_patch(
    mind: Mind, administrator: Mind, act: str, status: int, code: str
) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    path = f"/v1/sessions/{session}"
    if act == "delete":
        mind.client.delete(path)
    else:
        done(administrator.client.post(f"{path}/{act}", {}))

    refused = decide(administrator, made)

    assert (refused.status, refused.code) == (status, code), refused.content
    if act != "delete":
        assert proposed(mind, session) == [made]


def test_a_patch_for_another_head_than_was_seen_is_refused(
    mind: Mind, administrator: Mind
) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    seen = head(mind, session)["version"]
    mind.change_state(session, step=2)

    refused = decide(administrator, made, expected_version=seen)

    assert (refused.status, refused.code) == (409, "version_conflict")
    assert proposed(mind, session) == [made]
    now = head(mind, session)["version"]
    done(decide(administrator, made, expected_version=now))
    assert head(mind, session)["version"] == now + 1


@pytest.mark.parametrize("decision", ["keep", "replace", "both", "promote"])
def test_a_patch_conflicts_with_nothing_and_is_nobodys(
    mind: Mind, administrator: Mind, decision: str
) -> None:
    session = mind.session()
    made = patch_of(mind, session)
    other = mind.add("Prefers aisle seats", session_id=session)

    refused = decide(administrator, made, decision, other_id=other["id"])
    assert (refused.status, refused.param) == (400, "decision")
    back = decide(mind, other, "replace", other_id=made["id"])
    assert (back.status, back.param) == (400, "other_id")


def test_a_patch_is_not_changed(mind: Mind, administrator: Mind) -> None:
    session = mind.session()
    made = patch_of(mind, session)

    for body in (
        {"content": "{}"},
        {"metadata": {"patch": {"admin": True}}},
        {"type": "fact"},
        {"confidence": 1},
    ):
        assert administrator.patch(made["id"], **body).status == 400
    assert done(mind.read(made["id"])) == made


def test_no_other_memory_becomes_a_patch(mind: Mind, administrator: Mind) -> None:
    session = mind.session()
    made = patch_of(mind, session, "<memory>Prefers aisle seats</memory>")
    own = mind.add(
        "x",
        session_id=session,
        type="state_update",
        metadata={"patch": {"admin": True}},
        confidence=0.1,
    )
    body = {"type": "state_update", "metadata": {"patch": {"admin": True}}}
    assert administrator.patch(made["id"], **body).status == 400

    (accepted,) = done(decide(administrator, own))["data"]

    assert accepted["status"] == "believed"
    assert "admin" not in head(mind, session)["state"]
    wrong = decide(administrator, own, expected_version=0)
    assert (wrong.status, wrong.param) == (400, "expected_version")


def _refused(**given: Any) -> Any:
    raise DocumentHeld


def note_again(session: str, turn: str) -> None:
    with acting_as(Role.WORKER):
        FormingTurn.objects.create(
            session_id=session,
            turn_id=turn,
            project_id=Session.objects.get(id=session).project_id,
            noted_at=timezone.now(),
        )
