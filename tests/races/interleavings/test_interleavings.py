"""Every order of the steps of two writers keeps the laws and tells each the truth.

What an order must come to is what the writers would have come to one by one: so there
is one winner per number, losers leave nothing behind and are told why, a fork shows
the version that it names, and the hold is that of the version which was built on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.races.interleavings import actors
from tests.races.interleavings.actors import Verb, Writer
from tests.races.interleavings.referee import Referee
from tests.races.interleavings.serial import Beginning

# What is stored is committed by the threads of the stage; see `conftest.stage`.
pytestmark = pytest.mark.django_db

HEAD = 2
Act = Callable[[str], Verb]
EVERY_ACT: list[Act] = [
    actors.update,
    actors.replace,
    actors.batch,
    actors.turn,
    actors.rollback,
    actors.rollback_and_hold,
    actors.fork,
    actors.pause,
    actors.close,
    actors.delete,
]


def each(name: str, acts: list[Act]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(name, acts, ids=lambda act: act.__name__)


def agent(name: str, act: Act, **said: Any) -> Writer:
    return Writer(name, act(name), **said)


def person(name: str, act: Act, **said: Any) -> Writer:
    return Writer(name, act(name), is_person=True, **said)


@each("act", EVERY_ACT)
def test_an_agent_appends_and_an_agent_acts(referee: Referee, act: Act) -> None:
    count = referee.judge([agent("A", actors.update), agent("B", act)])

    # Two steps each: read the head, store. Where one deletes, showing is a third.
    assert count >= 6


@each("act", EVERY_ACT)
def test_an_agent_appends_to_a_named_head_and_a_person_acts(
    referee: Referee, act: Act
) -> None:
    writers = [agent("A", actors.update, expected=HEAD), person("B", act)]

    # Four steps of the person: read the head, store, record, commit.
    assert referee.judge(writers) >= 9


@each("act", EVERY_ACT)
@each("merge", [actors.revert, actors.restore])
def test_an_agent_merges_and_a_person_acts(
    referee: Referee, merge: Act, act: Act
) -> None:
    """Nothing is merged over a write that was not seen."""
    writers = [agent("A", merge, expected=HEAD), person("B", act)]

    assert referee.judge(writers) >= 9


@each("act", EVERY_ACT)
def test_an_agent_promotes_and_a_person_acts(referee: Referee, act: Act) -> None:
    """A fork's fix comes to the head that was seen, or not at all."""
    writers = [agent("A", actors.promote, expected=HEAD), person("B", act)]

    assert referee.judge(writers) >= 9


@each("act", EVERY_ACT)
def test_an_agent_applies_again_and_a_person_acts(referee: Referee, act: Act) -> None:
    """What a rollback set aside is made again on the head that was seen."""
    writers = [agent("A", actors.reapply, expected=HEAD + 1), person("B", act)]

    count = referee.judge(writers, beginning=Beginning(is_rolled_back=True))

    assert count >= 9


@pytest.mark.parametrize(
    "writers",
    [
        [agent(name, actors.promote, expected=HEAD) for name in "AB"],
        [person(name, actors.promote, expected=HEAD) for name in "AB"],
        [agent(name, actors.promote, expected=HEAD, key="once") for name in "AB"],
    ],
    ids=["two agents", "two people", "one request"],
)
def test_a_fork_is_promoted_twice(referee: Referee, writers: list[Writer]) -> None:
    """Each change comes once: the second finds another head, or its own answer."""
    assert referee.judge(writers) >= 9


@each("act", [actors.update, actors.rollback, actors.pause, actors.close])
def test_a_person_promotes_and_an_agent_acts(referee: Referee, act: Act) -> None:
    writers = [person("A", actors.promote, expected=HEAD), agent("B", act)]

    assert referee.judge(writers) >= 9


@each("act", [actors.update, actors.rollback, actors.pause, actors.close])
@each("merge", [actors.revert, actors.restore])
def test_a_person_merges_and_an_agent_acts(
    referee: Referee, merge: Act, act: Act
) -> None:
    writers = [person("A", merge, expected=HEAD), agent("B", act)]

    assert referee.judge(writers) >= 9


@each("act", EVERY_ACT)
def test_a_head_that_is_remembered_follows_every_order(
    referee: Referee, act: Act
) -> None:
    """Whoever comes second builds on the head as it is, or is refused by it."""
    writers = [agent("A", actors.update), person("B", act)]

    # The agent has one step, to store; a second one where its guess was wrong.
    assert referee.judge(writers, remembers=True) >= 3


@each("act", [actors.update, actors.batch, actors.turn])
def test_a_request_is_sent_twice_on_a_head_that_is_remembered(
    referee: Referee, act: Act
) -> None:
    twice = [Writer(name, act("AB"), key="once") for name in "AB"]

    assert referee.judge(twice, remembers=True) >= 2


@each("act", [actors.batch, actors.turn, actors.rollback, actors.fork, actors.close])
def test_a_person_appends_and_an_agent_acts(referee: Referee, act: Act) -> None:
    writers = [
        person("A", actors.update, expected=HEAD, by_header=True),
        agent("B", act),
    ]

    assert referee.judge(writers) >= 9


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (actors.ask, actors.answer),
        (actors.ask, actors.pause),
        (actors.ask, actors.close),
        (actors.lose, actors.rollback),
        (actors.lose, actors.rollback_and_hold),
        (actors.lose, actors.delete),
    ],
    ids=lambda act: act.__name__,
)
def test_what_is_open_follows_every_order(
    referee: Referee, one: Act, other: Act
) -> None:
    """The laws count again what waits for a human, is flagged and is held."""
    assert referee.judge([agent("A", one), person("B", other)]) >= 9


@each("act", [actors.update, actors.rollback_and_hold])
def test_two_people_act(referee: Referee, act: Act) -> None:
    count = referee.judge([person("A", actors.update), person("B", act)])

    assert count >= 20


def test_two_turns_are_said_that_leave_the_state(referee: Referee) -> None:
    referee.judge([person("A", actors.remark), agent("B", actors.remark)])


@each("act", [actors.update, actors.batch, actors.turn])
def test_an_agent_sends_a_request_twice(referee: Referee, act: Act) -> None:
    expected = None if act is actors.turn else HEAD
    verb = act("AB")
    twice = [Writer(name, verb, key="once", expected=expected) for name in "AB"]

    # Three steps each: look for the key, read the head, store.
    assert referee.judge(twice) >= 20


def test_an_agent_forks_twice_under_one_key(referee: Referee) -> None:
    twice = [Writer(name, actors.fork("AB"), key="once") for name in "AB"]

    # Nobody moves the head, and a claim is one statement with its commit.
    assert referee.judge(twice, without={"read the head", "commit"}) >= 20


def test_a_person_sends_a_request_twice(referee: Referee) -> None:
    verb = actors.update("AB")
    twice = [Writer(name, verb, is_person=True, key="once") for name in "AB"]

    # Who records holds the session's row already.
    assert referee.judge(twice, without={"record"}) >= 20


def test_one_key_comes_with_two_bodies(referee: Referee) -> None:
    referee.judge([agent(name, actors.update, key="once") for name in "AB"])


def test_a_session_is_resumed_while_an_agent_appends(referee: Referee) -> None:
    writers = [person("A", actors.resume), agent("B", actors.update)]

    referee.judge(writers, beginning=Beginning(is_paused=True))


@each("act", [actors.update, actors.batch, actors.rollback, actors.close])
def test_a_write_that_waits_for_one_that_is_taken_back(
    referee: Referee, act: Act
) -> None:
    referee.judge([person("A", actors.update, takes_back=True), agent("B", act)])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (actors.batch, actors.batch),
        (actors.batch, actors.rollback_and_hold),
        (actors.rollback, actors.rollback),
        (actors.pause, actors.close),
        (actors.turn, actors.pause),
        (actors.fork, actors.close),
        (actors.fork, actors.delete),
    ],
    ids=lambda act: act.__name__,
)
def test_two_agents_act(referee: Referee, one: Act, other: Act) -> None:
    referee.judge([agent("A", one), agent("B", other)])
