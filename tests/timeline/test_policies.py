"""Which writes a pause, an end and a suspension stop, by who acts."""

import pytest

from apps.core.actors import SYSTEM, Actor, ActorKind
from apps.timeline.ledger import policies
from apps.timeline.words import Hold

AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_7f3a")
PERSON = Actor(kind=ActorKind.USER, id="user_1", label="olga")


@pytest.mark.parametrize("policy", [policies.of_write, policies.of_recovery])
def test_people_are_stopped_by_the_end_alone(policy) -> None:
    for actor in (PERSON, SYSTEM):
        assert policy(actor).refused == {Hold.CLOSED}
        assert not policy(actor).suspends


def test_a_pause_stops_agents_but_not_their_way_back() -> None:
    assert policies.of_write(AGENT).refused == {Hold.CLOSED, Hold.PAUSED}
    assert policies.of_recovery(AGENT).refused == {Hold.CLOSED}


def test_a_suspension_stops_what_agents_write_but_not_holding() -> None:
    assert policies.of_write(AGENT).suspends
    assert policies.of_recovery(AGENT).suspends
    assert not policies.HOLD.suspends
    assert not policies.DELETE.suspends


def test_nothing_stops_deleting() -> None:
    assert policies.DELETE.refused == frozenset()
