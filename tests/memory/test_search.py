"""Memories are found by meaning and by words, and only by who may see them."""

from collections import Counter
from itertools import combinations, pairwise
from math import comb
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.meaning.embedding import EmbeddingFailed
from apps.memory.documents import nearing
from apps.memory.documents.matching import Wanted
from apps.memory.documents.scoring import Scores
from apps.memory.models import Memory
from apps.memory.operations import searching
from apps.memory.querysets import MemoryQuerySet
from apps.timeline.operations import Document
from tests.meaning.conftest import embed_all, forget_vectors, notice_all
from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db
FACTS = [
    "The customer wants his money back",
    "Prefers an aisle seat on long flights",
    "Order 4712 was delivered to Berlin",
    "Is allergic to peanuts",
]
WORDS = [
    "Paris",
    "hotel",
    "refund",
    "seat",
    "aisle",
    "luggage",
    "visa",
    "taxi",
    "dinner",
]
QUERIES = [
    "Paris refund of order 4707",
    "where does he sleep in order 4711",
    "aisle visa",
    "4712",
    "the hotel and the taxi of order 4703 and of order 4704",
]


def remember(mind: Mind, **named: Any) -> None:
    for fact in FACTS:
        mind.add(fact, **named)


@pytest.mark.parametrize("is_embedded", [False, True])
def test_a_question_finds_what_means_the_same(mind: Mind, is_embedded: bool) -> None:
    remember(mind, user_id="ada")
    if is_embedded:
        notice_all()
        embed_all()
    else:
        forget_vectors()

    found = mind.search("asks for a refund", user_id="ada", threshold=0.3)

    assert found["data"][0]["content"] == FACTS[0]
    assert found["candidates"] == 4
    assert (found["pending"], found["stale"]) == (0, 0)
    listed = done(mind.client.get("/v1/memories", {"user_id": "ada"}))["data"]
    assert {one["vector_available"] for one in listed} == {is_embedded}


def test_a_number_finds_what_holds_it(mind: Mind) -> None:
    remember(mind)

    assert mind.found("4712") == [FACTS[2]]
    assert mind.found("order 4712 Berlin") == [FACTS[2]]


def test_without_a_model_words_answer_and_the_answer_says_so(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **named: Any) -> Any:
        raise EmbeddingFailed("The endpoint is away.")

    for module in (searching, nearing):
        monkeypatch.setattr(module, "nearest", fail)
    remember(mind)

    found = mind.search("aisle seat")

    assert [one["content"] for one in found["data"]] == [FACTS[1]]
    assert (found["method"], found["why"]) == ("words", "The endpoint is away.")


def test_a_search_is_narrowed_by_types_and_tags(mind: Mind) -> None:
    mind.add("Likes red wine", type="preference", tags=["drinks"])
    mind.add("Likes red roses", type="preference", tags=["flowers"])
    mind.add("Bought red wine", type="event", tags=["drinks"])

    assert mind.found("red wine", types="preference", tags="drinks,x") == [
        "Likes red wine"
    ]
    wines = {"Likes red wine", "Bought red wine"}
    assert set(mind.found("red wine", tags="drinks", threshold=0)) == wines
    assert mind.found("red wine", type="policy", threshold=0) == []


def test_a_filter_finds_beyond_what_is_nearest_of_all(mind: Mind) -> None:
    mind.add("Something about the weather", type="rare")
    for number in range(30):
        mind.add(f"Likes red wine number {number}")

    assert mind.found("red wine", type="rare", threshold=0) == [
        "Something about the weather"
    ]


def test_proposals_that_are_nearer_leave_room_for_what_is_believed(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "BESIDE", 1)
    mind.add("Something about the weather")
    mind.add("Something about the weather in Rome")
    for number in range(9):
        mind.add(f"Likes red wine number {number}", confidence=0.5)

    found = mind.found("red wine", threshold=0, limit=2)

    assert sorted(found) == [
        "Something about the weather",
        "Something about the weather in Rome",
    ]


def test_words_that_share_a_number_are_told_apart(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(mind)
    # As if all words had one number, so that each finds every memory.
    monkeypatch.setattr(
        MemoryQuerySet, "with_a_word_of", lambda rows, document, words: rows
    )

    assert mind.found("4712 zzzz", threshold=0.5) == [FACTS[2]]
    assert mind.search("zzzz", threshold=0.9)["data"] == []


def test_words_of_one_owner_find_nothing_of_another(mind: Mind) -> None:
    remember(mind, user_id="ada")
    mind.add("Is allergic to peanuts and soy", user_id="eve")
    ada = Memory.objects.filter(owner="ada")[0].document_id

    def found(*words: str) -> list[str]:
        rows = Memory.objects.all().with_a_word_of(ada, words)
        return sorted(rows.values_list("owner", flat=True))

    assert found("peanuts") == ["ada"]
    assert found("peanuts", "berlin") == ["ada", "ada"]
    assert found("peanut") == found() == []


def test_limits_of_a_search_are_held(mind: Mind) -> None:
    remember(mind)

    path = "/v1/memories"
    for query in ({"limit": 51}, {"top_k": 0}, {"limit": 3, "top_k": 4}):
        assert mind.client.get(path, {"query": "x", **query}).status == 400
    assert mind.client.get(path, {"query": "x", "threshold": "nan"}).status == 400
    assert mind.client.get(path, {"query": "  "}).param == "query"
    assert mind.client.get(path, {"threshold": 1}).param == "threshold"
    assert len(mind.found("order", threshold=0, limit=2, top_k=2)) <= 2


def test_a_search_without_an_owner_sees_the_project_alone(mind: Mind) -> None:
    session = mind.session(user="ada")
    mind.add("The shop sells tea", user_id="ada")
    mind.add("The shop sells tea and cake", session_id=session)
    mind.add("The shop sells tea, cake and coffee", agent_id="travel")
    mind.add("The shop sells tea, cake, coffee and pie")

    assert mind.found("The shop sells tea", threshold=0) == [
        "The shop sells tea, cake, coffee and pie"
    ]
    assert len(mind.found("The shop sells tea", session_id=session)) == 4


def test_a_context_tells_what_is_near_the_question(mind: Mind) -> None:
    session = mind.session(user="ada")
    remember(mind, user_id="ada")
    mind.add("The customer wants his money back", user_id="bob")

    context = mind.context(session, query="asks for a refund", memory_limit=2)

    first, second = context["memories"]
    assert first["content"] == FACTS[0]
    assert first["score"] >= second["score"]
    mean = (first["score"] + second["score"]) / 2
    assert context["average_relevance"] == pytest.approx(mean, abs=1e-3)
    assert context["drift_warning"] is False


def test_a_context_warns_where_nothing_is_near(mind: Mind) -> None:
    session = mind.session(user="ada")
    remember(mind, user_id="ada")

    drifting = mind.context(session, query="quantum chromodynamics lattice")
    unasked = mind.context(session)

    assert drifting["drift_warning"] is True
    assert (unasked["drift_warning"], unasked["average_relevance"]) == (False, 0.0)
    assert [one["content"] for one in unasked["memories"]] == FACTS[::-1]
    assert {one["score"] for one in unasked["memories"]} == {None}
    assert mind.context(session, memory_limit=0)["memories"] == []


@pytest.mark.parametrize(
    ("known", "query", "drifts"),
    [
        (3, "alpha zulu", False),  # half of its words: 0.5
        (3, "alpha zulu yankee", True),  # a third of them
        (3, "alpha", False),
        (3, "zulu", True),
        (2, "alpha zulu yankee", False),
        (2, "zulu", False),
        (0, "zulu", False),
    ],
)
def test_three_memories_of_which_none_is_near_by_half_warn(
    mind: Mind,
    monkeypatch: pytest.MonkeyPatch,
    known: int,
    query: str,
    drifts: bool,
) -> None:
    def fail(*args: Any, **named: Any) -> Any:
        raise EmbeddingFailed("There is no model.")

    for module in (searching, nearing):
        monkeypatch.setattr(module, "nearest", fail)
    session = mind.session(user="ada")
    for text in ("alpha", "beta", "gamma")[:known]:
        mind.add(text, user_id="ada")

    assert mind.context(session, query=query)["drift_warning"] is drifts


def test_what_a_set_aside_version_taught_is_left_out_of_context(mind: Mind) -> None:
    first, second = mind.session(user="ada"), mind.session(user="ada")
    mind.add("Lives in Rome", session_id=first, scope="user")
    mind.change_state(first, step=1)
    mind.add("Lives in Paris", session_id=first, scope="user")
    mind.add("Has two cats", session_id=first, scope="user")
    mind.add("Has two cats", session_id=second, scope="user")

    mind.step_back(first, 0)

    kept = {"Lives in Rome", "Has two cats"}
    assert set(mind.recalled(first)) == set(mind.recalled(second)) == kept
    assert "Lives in Paris" not in mind.recalled(second, query="lives in Paris")
    assert "Lives in Paris" in mind.recalled(second, include_set_aside=True)
    done(mind.client.post(f"/v1/sessions/{first}/undo", {}))
    assert "Lives in Paris" in mind.recalled(second)


@pytest.mark.parametrize("query", ["who wants a refund", None])
def test_what_is_set_aside_crowds_out_nothing(mind: Mind, query: str | None) -> None:
    session = mind.session(user="ada")
    for number in range(3):
        mind.add(f"The refund came in {number} parts", user_id="ada")
    mind.change_state(session, step=1)
    for number in range(60):
        text = f"The customer who wants a refund of order {number}"
        mind.add(text, session_id=session, scope="user")

    mind.step_back(session, 0)

    context = mind.context(session, query=query, memory_limit=3)
    found = {one["content"] for one in context["memories"]}
    assert found == {f"The refund came in {number} parts" for number in range(3)}


def test_a_foreign_scope_is_not_found_in_the_same_words(
    mind: Mind, api: Any, make_key: Any, other_project: Any
) -> None:
    theirs = Mind(api(make_key(project=other_project)))
    session = theirs.session(user="ada")
    memory = theirs.add("Is vegetarian", session_id=session)
    theirs.add("Is vegan", user_id="ada")

    assert mind.listed(user_id="ada") == []
    assert mind.found("vegan", user_id="ada", threshold=0) == []
    for path in (f"/v1/memories/{memory['id']}", "/v1/memories/mem_0"):
        assert mind.client.get(path).code == "memory_not_found"
    foreign = mind.client.get("/v1/memories", {"session_id": session})
    unknown = mind.client.get("/v1/memories", {"session_id": session[:-1] + "0"})
    assert foreign.status == unknown.status == 404
    assert without_id(foreign.body) == without_id(unknown.body)
    foreign = mind.patch(memory["id"], content="x")
    unknown = mind.patch("mem_" + "0" * 26, content="x")
    assert without_id(foreign.body) == without_id(unknown.body)


def test_a_key_for_some_agents_sees_their_sessions_alone(
    mind: Mind, api: Any, make_key: Any
) -> None:
    session = mind.session(agent="travel")
    mind.session(agent="billing")
    memory = mind.add("Wants to go to Rome", session_id=session)
    of_agent = mind.add("Answer in English", agent_id="travel")
    limited = Mind(api(make_key(agents=["billing"])))

    for one in (memory, of_agent):
        assert limited.read(one["id"]).status == 404
        assert limited.patch(one["id"], content="x").status == 404
        assert limited.delete(one["id"]).status == 404
    refused = limited.tried("x", session_id=session)
    assert (refused.status, refused.code) == (404, "session_not_found")
    assert limited.tried("x", agent_id="travel").code == "agent_not_found"


def without_id(body: Any) -> Any:
    return body["error"] | {"request_id": ""}


def test_of_more_than_are_compared_the_newest_are(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MOST_COMPARED", 2)
    for name in ("Anna", "Berta", "Clara"):
        mind.add(f"{name} likes tea", user_id="ada")

    found = mind.search("likes tea", user_id="ada", threshold=0.1)

    assert {one["content"] for one in found["data"]} == {
        *("Clara likes tea", "Berta likes tea")
    }
    assert (found["candidates"], found["truncated"]) == (2, True)
    monkeypatch.setattr(searching, "MOST_COMPARED", 3)
    found = mind.search("likes tea", user_id="ada", threshold=0.1)
    assert (found["candidates"], found["truncated"]) == (3, False)


@pytest.mark.parametrize("query", QUERIES)
def test_words_are_compared_where_they_can_beat_what_is_near(
    mind: Mind, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    session = mind.session(user="ada")
    for at, (one, other) in enumerate(pairwise(WORDS * 4)):
        mind.add(f"{one} {other} {WORDS[at % 7]} of order {4700 + at}", user_id="ada")
    notice_all()
    embed_all()

    def answers() -> list[Any]:
        context = mind.context(session, query=query, memory_limit=4)["memories"]
        found = mind.search(query, user_id="ada", limit=6, threshold=0)["data"]
        return [(one["id"], one["score"]) for one in (*context, *found)]

    before = answers()
    # All that have a word in common are compared.
    monkeypatch.setattr(Scores, "leasts", lambda self, limit, least: [least])

    assert before == answers()


@pytest.mark.parametrize("least", [1, 2, 3, 4])
def test_whoever_has_so_many_of_the_words_is_found(
    mind: Mind, project: Project, least: int
) -> None:
    asked = ["at", "sea", "port", "ships"]
    for count in range(1, 5):
        for some in combinations(asked, count):
            mind.add(" ".join(some))
    document = Document.of_memories(project, "project", "")

    found = Wanted(now=timezone.now()).worded(
        [document.id], asked, least=least, most=100
    )

    # Of each number of words all memories that have so many.
    assert Counter(count for _, _, count in found) == {
        count: comb(len(asked), count) for count in range(least, 5)
    }
