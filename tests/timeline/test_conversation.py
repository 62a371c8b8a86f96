"""What was said: windows of turns, and of messages by the version that brought them."""

import pytest

from apps.agents.scope import Scope
from apps.core.actors import Actor, ActorKind
from apps.timeline import operations as timeline
from apps.timeline.ledger.drafts import Step
from apps.timeline.queries import (
    MessagePlace,
    are_messages,
    first_turn_since,
    message_window,
    turn_window,
)
from apps.timeline.queries.conversation import messages, turns
from apps.timeline.versions import named_parts
from tests.acts import act_in

KEY = Actor(kind=ActorKind.KEY, id="key_1", label="sb_7f3a")


class Talk:
    """A session whose agent keeps its messages as a part of its checkpoints."""

    def __init__(self, project):
        self.act = act_in(Scope(project), KEY)
        made = timeline.create(
            agent="talker",
            state={},
            about=timeline.About(),
            step=Step(),
            act=self.act,
        )
        self.id, self.n = made.session_id, 0

    def keep(self, *texts):
        """Make a version that holds messages with these texts."""
        self.n += 1
        said = [{"role": "user", "content": text} for text in texts]
        timeline.update(
            session_id=self.id,
            patch={"n": self.n},
            parts=named_parts({"messages": said}),
            step=Step(),
            act=self.act,
        )
        return self

    def rollback(self, to):
        timeline.rollback(session_id=self.id, to=to, step=Step(), act=self.act)
        return self

    def turn(self, text, size=0, state_after=None):
        timeline.add_turn(
            session_id=self.id,
            exchange=timeline.Exchange(
                input={"content": text + "x" * size}, output={"content": "ok"}
            ),
            state_after=state_after,
            step=Step(),
            act=self.act,
        )
        return self

    def told(self, **where):
        """Return (version, text) of the messages in a window."""
        found = message_window(self.id, **where).messages
        return [(one.place.number, one.message["content"]) for one in found]


@pytest.fixture
def talk(project):
    return Talk(project)


def test_each_message_is_of_the_version_that_brought_it(talk):
    talk.keep("a").keep("a", "b", "c").keep("a", "b", "c").keep("a", "b", "c", "d")

    assert talk.told() == [(1, "a"), (2, "b"), (2, "c"), (4, "d")]


def test_a_rollback_brings_nothing_and_what_it_set_aside_stays(talk):
    talk.keep("a").keep("a", "wrong").rollback(1).keep("a", "right")

    assert talk.told() == [(1, "a"), (2, "wrong"), (4, "right")]


def test_what_is_dropped_is_told_once_and_what_is_repeated_twice(talk):
    talk.keep("a", "b", "c").keep("c").keep("c", "c").keep("summary", "c", "c")

    assert talk.told() == [(1, "a"), (1, "b"), (1, "c"), (3, "c"), (4, "summary")]


def test_a_window_goes_on_from_inside_of_a_version(talk):
    talk.keep("a", "b", "c").keep("a", "b", "c", "d")

    assert talk.told(after=MessagePlace(1, 1)) == [(1, "c"), (2, "d")]
    assert talk.told(before=MessagePlace(1, 2)) == [(1, "a"), (1, "b")]


@pytest.mark.parametrize("n_that_fit", [1, None])
def test_windows_go_through_all_of_it_whatever_a_body_weighs(
    talk, monkeypatch, n_that_fit
):
    monkeypatch.setattr(messages, "VERSIONS", 3)
    monkeypatch.setattr(messages, "within_bytes", lambda rows, _: rows[:n_that_fit])
    said = [f"line {n}" for n in range(9)]
    for n in range(1, 10):
        talk.keep(*said[:n])

    found, place = [], None
    for _ in range(20):
        window = message_window(talk.id, after=place)
        found += [one.message["content"] for one in window.messages]
        place = MessagePlace(window.last, 10**9)
        if not window.has_later:
            break

    assert found == said


def test_what_is_no_list_of_messages_is_told_apart():
    assert are_messages(
        [{"role": "user", "content": "Hi"}, {"type": "ai", "content": 1}]
    )
    assert not are_messages([])
    assert not are_messages([{"role": "user", "content": "Hi"}, "noted"])
    assert not are_messages([{"id": 1, "content": "a note"}])


def test_turns_come_oldest_first_from_either_end(talk, monkeypatch):
    monkeypatch.setattr(turns, "TURNS", 2)
    for n in range(5):
        talk.turn(f"turn {n}")

    def numbers(**where):
        found = turn_window(talk.id, **where)
        some = [turn.turn_number for turn in found.turns]
        return some, found.has_earlier, found.has_later

    assert numbers() == ([1, 2], False, True)
    assert numbers(after=3) == ([4, 5], True, False)
    assert numbers(before=6) == ([4, 5], True, True)
    assert numbers(before=2) == ([1], False, True)


def test_a_window_of_turns_ends_at_its_bytes_and_names_what_is_too_large(
    talk, monkeypatch
):
    monkeypatch.setattr(turns, "WINDOW_BYTES", 5_000)
    talk.turn("a", 3_000).turn("b", turns.TURN_BYTES).turn("c", 3_000)

    first = turn_window(talk.id)

    assert [turn.data is None for turn in first.turns] == [False, True]
    assert first.has_later


def test_a_version_is_at_the_first_turn_that_left_it_or_a_later_one(talk):
    talk.turn("at v0").turn("made v1", state_after={"n": 1})
    talk.keep("v2").turn("at v2")

    found = [first_turn_since(talk.id, number) for number in (0, 1, 2, 3)]

    assert found == [1, 2, 3, None]
