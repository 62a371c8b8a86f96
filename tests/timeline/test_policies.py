"""Which writes a pause, an end and a suspension stop, by who acts."""

import pytest

from apps.core.actors import SYSTEM, Actor, ActorKind
from apps.timeline.ledger import policies
from apps.timeline.words import Hold

AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_7f3a")
PERSON = Actor(kind=ActorKind.USER, id="user_1", label="olga")


@pytest.mark.parametrize("policy", [policies.WRITE, policies.RECOVERY])
def test_people_are_stopped_by_the_end_alone(policy) -> None:
    for actor in (PERSON, SYSTEM):
        assert policy[actor.kind].refused == {Hold.CLOSED}
        assert not policy[actor.kind].suspends


def test_a_pause_stops_agents_but_not_their_way_back() -> None:
    assert policies.WRITE[AGENT.kind].refused == {Hold.CLOSED, Hold.PAUSED}
    assert policies.RECOVERY[AGENT.kind].refused == {Hold.CLOSED}


def test_a_suspension_stops_what_agents_write_but_not_holding() -> None:
    assert policies.WRITE[AGENT.kind].suspends
    assert policies.RECOVERY[AGENT.kind].suspends
    assert not policies.HOLD.suspends
    assert not policies.DELETE.suspends


def test_nothing_stops_deleting() -> None:
    assert policies.DELETE.refused == frozenset()
