"""Search memories by meaning and by words.

Each of the owners that may be seen has a document of its own, and each is searched by
itself: no search can return what another user's document holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from apps.agents.acts import Act
from apps.core.errors import InvalidRequest
from apps.meaning.embedding import EmbeddingFailed
from apps.meaning.nearest import Neighbours, nearest
from apps.memory.documents.contents import words_of
from apps.memory.documents.finding import read_entries
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
# Of the nearest more are looked at than are asked for: some may be no longer believed.
BESIDE = 20


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


# Which of some memories are meant, in their order.
Keeping = Callable[[Sequence[Kept]], Sequence[Kept]]


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
    act: Act,
    owners: Sequence[Owner],
    asked: SearchAsked,
    *,
    keeping: Keeping | None = None,
) -> SearchResult:
    """Return the nearest memories of these owners, which the caller may see.

    With `keeping`, the nearest of those that it keeps, however many are nearer.
    """
    scores = _Scores({})
    owner_of: dict[str, Owner] = {}
    wanted = _wanted([one.document.id for one in owners], act, asked)
    counts = wanted.counted_of_documents()
    for owner in owners:
        count = counts.get(owner.document.id, 0)
        if count:
            known = len(scores.by_id)
            _score(scores, owner, count, act, asked)
            owner_of |= dict.fromkeys(list(scores.by_id)[known:], owner)
    return SearchResult(
        matches=_matches(scores, owner_of, act, asked, keeping or list),
        candidates=scores.candidates,
        method=scores.method,
        pending=scores.pending,
        stale=scores.stale,
        is_truncated=scores.is_truncated,
        why=scores.why,
    )


def _matches(
    scores: _Scores,
    owner_of: dict[str, Owner],
    act: Act,
    asked: SearchAsked,
    keeping: Keeping,
) -> list[Match]:
    """Read the nearest, twice as many each time, until enough of them are kept."""
    best = sorted(scores.by_id.items(), key=lambda one: (-one[1], one[0]))
    near = [one for one in best if one[1] >= asked.least]
    found: list[Match] = []
    at, most = 0, asked.limit
    while at < len(near) and len(found) < asked.limit:
        by_id = dict(near[at : at + most])
        kept = _kept([(name, owner_of[name]) for name in by_id], act)
        found += [
            Match(kept=one, score=round(by_id[one.content.id], 4))
            for one in keeping([kept[name] for name in by_id if name in kept])
        ]
        at, most = at + most, 2 * most
    return found[: asked.limit]


def _wanted(documents: list[str], act: Act, asked: SearchAsked) -> MemoryQuerySet:
    believed = Memory.objects.of(documents).believed(now=act.now)
    return believed.narrowed(types=asked.types, tags=asked.tags)


def _kept(found: Sequence[tuple[str, Owner]], act: Act) -> dict[str, Kept]:
    """Return what stands under these ids of owners."""
    ids: dict[str, list[str]] = {}
    documents = {owner.document.id: owner.document for _, owner in found}
    for name, owner in found:
        ids.setdefault(owner.document.id, []).append(name)
    return {
        one.content.id: one
        for document_id, names in ids.items()
        for one in read_entries(documents[document_id], names, now=act.now)
    }


def _score(
    scores: _Scores, owner: Owner, count: int, act: Act, asked: SearchAsked
) -> None:
    wanted = _wanted([owner.document.id], act, asked)
    if count > MOST_COMPARED:
        scores.is_truncated = True
        newest = wanted.order_by("-id").values_list("id", flat=True)
        wanted = wanted.filter(id__gte=newest[MOST_COMPARED - 1])
    scores.candidates += min(count, MOST_COMPARED)
    _by_words(scores, owner, wanted, asked.query)
    try:
        near, known = _nearest(owner, wanted, act, asked)
    except EmbeddingFailed as error:
        scores.why = str(error)
        return
    _by_meaning(scores, near, known)


def _nearest(
    owner: Owner, wanted: MemoryQuerySet, act: Act, asked: SearchAsked
) -> tuple[Neighbours, dict[str, int]]:
    """Return what is nearest, and of the nearest that are wanted their versions.

    Without a filter nearly all are wanted: as many as are asked for, and some, are
    looked at. If too few of them are, all that are wanted are compared.

    Raises: EmbeddingFailed.
    """
    if not (asked.types or asked.tags):
        near = nearest(owner.document.id, asked.query, now=act.now)
        some = near.found[: asked.limit + BESIDE]
        known = _versions(wanted.filter(id__in=[one.key for one in some]))
        standing = sum(known.get(one.key) == one.number for one in some)
        if standing >= asked.limit or len(near.found) <= len(some):
            return near, known
    known = _versions(wanted)
    return nearest(owner.document.id, asked.query, among=known, now=act.now), known


def _versions(wanted: MemoryQuerySet) -> dict[str, int]:
    return dict(wanted.values_list("id", "number"))


def _by_meaning(scores: _Scores, near: Neighbours, known: dict[str, int]) -> None:
    for one in near.found:
        if known.get(one.key) == one.number:
            scores.count(one.key, one.similarity)
    scores.pending += near.pending
    scores.stale += near.stale
    scores.is_truncated = scores.is_truncated or near.is_truncated


def _by_words(
    scores: _Scores, owner: Owner, wanted: MemoryQuerySet, query: str
) -> None:
    """Count the share of the question's words that a memory has."""
    words = set(words_of(query))
    if not words:
        return
    shared = wanted.with_a_word_of(owner.document.id, sorted(words)).order_by("-id")
    rows = shared.values_list("id", "words")[: MOST_WORDED + 1]
    for place, (memory_id, own) in enumerate(rows):
        if place == MOST_WORDED:
            scores.is_truncated = True
            return
        score = len(words.intersection(own)) / len(words)
        if score:
            scores.count(memory_id, score)


def of_session(session_id: str, asked: SearchAsked) -> SearchAsked:
    """Return the question, asked for a session."""
    return replace(asked, place=replace(asked.place, session_id=session_id))
