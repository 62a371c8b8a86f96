"""No search, list or context returns what is another user's, session's or agent's.

One world of a hundred users and two agents, embedded, asked ten thousand times: the
words of questions are mostly those of others' memories.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from django.db import transaction

from apps.accounts import operations as accounts
from apps.accounts.models import Project
from apps.accounts.models import Scope as KeyScope
from apps.agents.scope import Scope
from apps.memory import operations as memory
from apps.memory.documents.owners import Place
from apps.memory.operations.recalling import recall
from apps.timeline import operations as timeline
from apps.timeline.errors import SessionNotFound
from apps.timeline.hooks import RecallAsked
from apps.timeline.versions import fetching
from tests.acts import act_by, act_in
from tests.conftest import Api, make_project
from tests.meaning.conftest import embed_all, embedded, notice_all

pytestmark = pytest.mark.django_db
SEED = int(os.environ.get("STEPBACK_SEED", "13"))
USERS, QUERIES, OVER_HTTP = 100, 10_000, 400
# Each is asked of a dozen places. A process remembers the vectors of so many; one that
# it has to make takes it as long as all the rest of a search.
QUESTIONS = 800
AGENTS = ("travel", "billing")
SUBJECTS = ("aisle seat", "invoice", "vegetarian food", "old cat", "blue bicycle")
VERBS = ("prefers", "lost", "asked about", "refused", "paid for", "likes")
Whose = tuple[str, str]


@dataclass
class World:
    """Whose each memory is, and which texts there are."""

    project: Project
    client: Api
    whose: dict[str, Whose] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    # The user and the agent of each session.
    sessions: dict[str, tuple[str, str]] = field(default_factory=dict)
    # What places may see, once all is remembered.
    seen: dict[Place, frozenset[str]] = field(default_factory=dict)

    def remember(self, text: str, whose: Whose, **place: Any) -> None:
        new = memory.NewMemory(content=text, place=Place(**place))
        added = memory.add(act=act_in(self.project, digest=text.encode()), new=new)
        assert added.is_new
        self.whose[added.kept.content.id] = whose
        self.texts.append(text)

    def of(self, place: Place) -> frozenset[str]:
        """Return the memories that a place may see, by what the docs say of it."""
        if place not in self.seen:
            self.seen[place] = self._of(place)
        return self.seen[place]

    def _of(self, place: Place) -> frozenset[str]:
        seen = {("project", "")}
        agent, user = place.agent_id, place.user_id
        if place.session_id is not None:
            user, agent = self.sessions[place.session_id]
            seen.add(("session", place.session_id))
        if user is not None:
            seen.add(("user", user))
        if agent is not None:
            seen.add(("agent", agent))
        if place.scope is not None:
            seen = {one for one in seen if one[0] == place.scope}
        return frozenset(one for one, whose in self.whose.items() if whose in seen)


def make_world(project: Project, random: Random, users: int = USERS) -> World:
    _, secret = accounts.issue_key(
        project=project, name="test", scope=KeyScope.WRITE, agents=None, act=act_by()
    )
    world = World(project, Api(secret))

    def text(who: str) -> str:
        said = f"{random.choice(VERBS)} the {random.choice(SUBJECTS)}"
        return f"{who} {said}, number {random.randrange(10**9)}"

    for number in range(users):
        user = f"user {number}"
        for agent in AGENTS:
            begun = timeline.create(
                act=act_in(project),
                agent=agent,
                state={"user": number},
                about=timeline.About(user_id=user),
                step=timeline.Step(),
            )
            session_id = str(begun.session_id)
            world.sessions[session_id] = (user, agent)
            whose = ("session", session_id)
            world.remember(text(user), whose, session_id=session_id)
            taught = {"session_id": session_id, "scope": "user"}
            world.remember(text(user), ("user", user), **taught)
        world.remember(text(user), ("user", user), user_id=user)
    for agent in AGENTS:
        for _ in range(5):
            world.remember(text(agent), ("agent", agent), agent_id=agent)
    for _ in range(5):
        world.remember(text("everybody"), ("project", ""))
    return world


@pytest.fixture(scope="module")
def made_once(django_db_setup: Any, django_db_blocker: Any) -> Iterator[World]:
    """The world of this module, beside another project that has the same names."""
    random = Random(SEED)
    with django_db_blocker.unblock(), transaction.atomic():
        make_world(make_project("returns"), random, users=10)
        world = make_world(make_project("checkout"), random)
        notice_all()
        while embed_all():
            pass
        assert set(world.whose) <= set(embedded())
        yield world
        transaction.set_rollback(True)


@pytest.fixture
def world(made_once: World, db: None) -> World:
    return made_once


def question_of(world: World, random: Random) -> str:
    """Return some words of a few memories, or all of one, mostly of others."""
    if random.random() < 0.3:
        return random.choice(world.texts)
    words = " ".join(random.sample(world.texts, 3)).split()
    return " ".join(random.sample(words, random.randint(1, 6)))


def place_of(world: World, random: Random) -> Place:
    """Return a place that is asked for: what a caller can name, and nothing."""
    session_id = random.choice(list(world.sessions))
    user, agent = world.sessions[session_id]
    return random.choice(
        (
            Place(),
            Place(user_id=user),
            Place(user_id=user, scope="user"),
            Place(session_id=session_id),
            Place(session_id=session_id, scope="session"),
            Place(session_id=session_id, scope="user"),
            Place(session_id=session_id, scope="agent"),
            Place(agent_id=agent),
            Place(user_id=user, agent_id=agent),
        )
    )


def found_by_search(world: World, question: str, place: Place, limit: int) -> set[str]:
    asked = memory.SearchAsked(query=question, place=place, limit=limit, least=0)
    result = memory.search(act=act_in(world.project), asked=asked)
    # Nothing else was even compared.
    assert result.candidates == len(world.of(place))
    assert result.method == "meaning_and_words"
    return {one.kept.content.id for one in result.matches}


def found_by_context(world: World, question: str, place: Place, limit: int) -> set[str]:
    act = act_in(world.project)
    asked = RecallAsked(
        act=act,
        head=fetching.head(act.scope, place.session_id or "", now=act.now),
        query=question,
        limit=limit,
        includes_set_aside=True,
    )
    return {str(one["id"]) for one in recall(asked)().memories}


def found_over_http(world: World, question: str, place: Place, limit: int) -> set[str]:
    named = {
        name: said
        for name in ("scope", "session_id", "user_id", "agent_id")
        if (said := getattr(place, name)) is not None
    }
    asked = {"query": question, "limit": limit, "threshold": 0, **named}
    answer = world.client.get("/v1/memories", asked)
    assert answer.status == 200, answer.content
    return {one["id"] for one in answer.body["data"]}


def listed_over_http(world: World, place: Place) -> set[str]:
    answer = world.client.get(
        "/v1/memories", {"session_id": place.session_id, "limit": 100}
    )
    return {one["id"] for one in answer.body["data"]}


def contexted_over_http(
    world: World, question: str, place: Place, limit: int
) -> set[str]:
    path = f"/v1/sessions/{place.session_id}/context"
    body = {"query": question, "memory_limit": min(limit, 20)}
    answer = world.client.post(path, body)
    assert answer.status == 200, answer.content
    return {one["id"] for one in answer.body["memories"]}


def test_no_question_finds_what_is_anothers(world: World) -> None:
    random = Random(SEED)
    questions = [question_of(world, random) for _ in range(QUESTIONS)]
    found_any = 0

    for number in range(QUERIES):
        question = random.choice(questions)
        place = place_of(world, random)
        limit = random.choice((1, 3))
        if place.session_id is not None and place.scope is None and number % 2:
            found = found_by_context(world, question, place, limit)
        elif number % (QUERIES // OVER_HTTP) == 0:
            found = found_over_http(world, question, place, limit)
        else:
            found = found_by_search(world, question, place, limit)
        assert found <= world.of(place), (SEED, number, place, question)
        found_any += bool(found)

    # What is not looked for cannot leak.
    assert found_any > 0.99 * QUERIES


def test_no_list_and_no_context_shows_what_is_anothers(world: World) -> None:
    random = Random(SEED)

    for session_id in random.sample(list(world.sessions), 50):
        place = Place(session_id=session_id)
        assert listed_over_http(world, place) == world.of(place)
        question = question_of(world, random)
        found = contexted_over_http(world, question, place, 20)
        assert found <= world.of(place)
        assert found


def test_who_asks_for_their_own_finds_it_among_all(world: World) -> None:
    """Have the property be able to fail: with the same words, in the right place."""
    texts = dict(zip(world.whose, world.texts, strict=True))
    for own_id, (scope, owner) in list(world.whose.items())[::25]:
        place = Place() if scope == "project" else Place(**{f"{scope}_id": owner})
        assert own_id in found_by_search(world, texts[own_id], place, 1)


def test_a_key_for_one_agent_asks_for_its_sessions_alone(world: World) -> None:
    scope = Scope(world.project, frozenset({"travel"}))

    for session_id, (_, agent) in list(world.sessions.items())[:40]:
        place = Place(session_id=session_id)
        asked = memory.SearchAsked(query="seat", place=place, limit=5, least=0)
        if agent == "travel":
            assert memory.search(act=act_in(scope), asked=asked).matches
            continue
        with pytest.raises(SessionNotFound):
            memory.search(act=act_in(scope), asked=asked)
