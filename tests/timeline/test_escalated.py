"""A state that begins to say that it is escalated is told as that, once."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agents import remembered
from apps.audit.models import Event
from apps.timeline.models import Session
from tests.feeding import feed_all
from tests.timeline.runs import Begin, Clients, Keys, Run

pytestmark = pytest.mark.django_db
BOTH = ["escalated", "escalated_to_human"]


def escalations() -> list[tuple[str, Any, Any]]:
    feed_all()
    found = Event.objects.filter(action="session.escalated").order_by("id")
    return [(one.stream_id, one.number, one.details) for one in found]


@pytest.mark.parametrize("key", BOTH)
def test_a_write_that_says_so_is_told(run: Run, key: str) -> None:
    run.patch({key: True})
    run.patch({"step": 9})

    assert escalations() == [(run.id, 3, {"because": "state"})]
    assert escalations() == [(run.id, 3, {"because": "state"})]
    (event,) = Event.objects.filter(action="session.escalated")
    assert event.actor_kind == "key"


def test_a_session_that_begins_so_is_told(begin: Begin) -> None:
    made = begin({"escalated": True})

    assert escalations() == [(made.id, 0, {"because": "state"})]


@pytest.mark.parametrize("verb", ["put", "batch", "turn"])
def test_so_is_every_way_of_writing(run: Run, verb: str) -> None:
    state = {"escalated": True}
    if verb == "put":
        run.put(state)
    elif verb == "batch":
        run.post("versions", {"versions": [{"state": {"n": 1}}, {"state": state}]})
    else:
        run.turn(state_after=state)

    ((session_id, _, details),) = escalations()
    assert (session_id, details) == (run.id, {"because": "state"})


def test_it_is_told_again_once_it_was_over(run: Run) -> None:
    run.patch({"escalated": True})
    run.patch({"escalated": False})
    run.patch({"escalated": True})

    assert sorted(number for _, number, _ in escalations()) == [3, 5]


@pytest.mark.parametrize(
    "state",
    [
        {"escalated": False},
        {"escalated": "true"},
        {"nested": {"escalated": True}},
        {"requires_confirmation": True},
        {"pending_action": {"tool": "refund"}},
    ],
)
def test_what_does_not_say_so_is_not(run: Run, state: Any) -> None:
    run.patch(state)

    assert escalations() == []


def test_an_agent_with_other_rules_follows_those(
    run: Run, api: Clients, make_key: Keys
) -> None:
    mapping = {"waiting": ["/needs_help = true"]}
    answer = api(make_key("admin")).put("/v1/agents/travel/mapping", mapping)
    assert answer.status == 200, answer.content
    # Processes remember an agent's rules for half a minute.
    remembered.forget(Session.objects.get(id=run.id).agent_id)

    run.patch({"escalated": True})

    assert escalations() == []


def test_a_fork_of_an_escalated_session_is_not_told_again(run: Run) -> None:
    run.patch({"escalated": True})
    run.fork()

    assert len(escalations()) == 1
