"""Search memories by meaning and by words.

Each of the owners that may be seen has a document of its own, and each is searched by
itself: no search can return what another user's document holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from apps.agents.acts import Act
from apps.core.errors import InvalidRequest
from apps.meaning.embedding import EmbeddingFailed
from apps.meaning.nearest import Neighbours, nearest
from apps.memory.documents.contents import words_of
from apps.memory.documents.finding import read_rows
from apps.memory.documents.owners import Finder, Owner, Place
from apps.memory.documents.storing import Kept
from apps.memory.exposition import count_search
from apps.memory.models import Memory
from apps.memory.querysets import MemoryQuerySet

LONGEST_QUERY = 2_000
LEAST_SCORE = 0.7
# Memories of one owner that are compared, the newest that fit: as many as have vectors
# to compare.
MOST_COMPARED = 20_000
# Of them, those with a word in common that are looked through.
MOST_WORDED = 5_000
# Of those with a word of the question in common, so many are weighed.
MOST_WEIGHED = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchAsked:
    """What is looked for, among whose memories, and how near it has to be."""

    query: str
    place: Place
    limit: int
    least: float = LEAST_SCORE
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def require(self) -> None:
        """Raises: InvalidRequest."""
        if not self.query.strip() or len(self.query) > LONGEST_QUERY:
            raise InvalidRequest(
                f"query takes words, {LONGEST_QUERY:,} characters at most.",
                param="query",
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A memory and how near the question it is, from 0 to 1."""

    kept: Kept
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """The nearest memories, nearest first, and how was looked.

    `candidates` counts what was compared. `why` says why it was not by meaning;
    `pending` and `stale` count what has no vector yet, `is_truncated` says that not all
    was looked at.
    """

    matches: Sequence[Match]
    candidates: int
    method: str
    pending: int = 0
    stale: int = 0
    is_truncated: bool = False
    why: str | None = None


@dataclass(slots=True)
class _Scores:
    """The best score of each memory, and how far was looked."""

    by_id: dict[str, float]
    candidates: int = 0
    pending: int = 0
    stale: int = 0
    is_truncated: bool = False
    why: str | None = None

    def count(self, memory_id: str, score: float) -> None:
        self.by_id[memory_id] = max(score, self.by_id.get(memory_id, 0.0))

    @property
    def method(self) -> str:
        return "words" if self.why else "meaning_and_words"


def search(*, act: Act, asked: SearchAsked) -> SearchResult:
    """Return the memories that are nearest to the question, and count the search.

    Raises: InvalidRequest, SessionNotFound, AgentNotFound.
    """
    asked.require()
    owners = Finder(act.scope, asked.place, act.now).to_read()
    found = search_owners(act, owners, asked)
    count_search(act.project, asked.place.narrowest, found=bool(found.matches))
    return found


def search_owners(
    act: Act, owners: Sequence[Owner], asked: SearchAsked
) -> SearchResult:
    """Return the nearest memories of these owners, which the caller may see."""
    scores = _Scores({})
    for owner in owners:
        _score(scores, owner, act, asked)
    best = sorted(scores.by_id.items(), key=lambda one: (-one[1], one[0]))
    near = [one for one in best if one[1] >= asked.least][: asked.limit]
    documents = [one.document.id for one in owners]
    rows = Memory.objects.of(documents).filter(id__in=[name for name, _ in near])
    kept = {
        one.content.id: one
        for one in read_rows(act.scope, rows.defer("words"), now=act.now)
    }
    return SearchResult(
        matches=[
            Match(kept=kept[name], score=round(score, 4))
            for name, score in near
            if name in kept
        ],
        candidates=scores.candidates,
        method=scores.method,
        pending=scores.pending,
        stale=scores.stale,
        is_truncated=scores.is_truncated,
        why=scores.why,
    )


def _score(scores: _Scores, owner: Owner, act: Act, asked: SearchAsked) -> None:
    believed = Memory.objects.of([owner.document.id]).believed(now=act.now)
    wanted = believed.narrowed(types=asked.types, tags=asked.tags)
    newest = wanted.order_by("-id").values_list("id", "number")
    known = dict(newest[: MOST_COMPARED + 1])
    if not known:
        return
    if len(known) > MOST_COMPARED:
        scores.is_truncated = True
        known.popitem()
        wanted = wanted.filter(id__gte=min(known))
    scores.candidates += len(known)
    _by_words(scores, wanted, asked.query)
    try:
        near = nearest(owner.document.id, asked.query, among=known, now=act.now)
    except EmbeddingFailed as error:
        scores.why = str(error)
        return
    _by_meaning(scores, near, known)


def _by_meaning(scores: _Scores, near: Neighbours, known: dict[str, int]) -> None:
    for one in near.found:
        if known.get(one.key) == one.number:
            scores.count(one.key, one.similarity)
    scores.pending += near.pending
    scores.stale += near.stale
    scores.is_truncated = scores.is_truncated or near.is_truncated


def _by_words(scores: _Scores, wanted: MemoryQuerySet, query: str) -> None:
    """Count the share of the question's words that a memory has."""
    words = set(words_of(query))
    if not words:
        return
    shared = wanted.filter(words__overlap=list(words)).order_by("-id")
    rows = shared.values_list("id", "words")[: MOST_WORDED + 1]
    for place, (memory_id, own) in enumerate(rows):
        if place == MOST_WORDED:
            scores.is_truncated = True
            return
        scores.count(memory_id, len(words.intersection(own)) / len(words))


def of_session(session_id: str, asked: SearchAsked) -> SearchAsked:
    """Return the question, asked for a session."""
    return replace(asked, place=replace(asked.place, session_id=session_id))
