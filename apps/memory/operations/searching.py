"""Search memories by meaning and by words.

Each of the owners that may be seen has a document of its own, and each is searched by
itself: no search can return what another user's document holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from math import ceil, inf

from apps.agents.acts import Act
from apps.core.errors import InvalidRequest
from apps.meaning import embedding
from apps.meaning.embedding import EmbeddingFailed, Reading
from apps.meaning.fresh import Near
from apps.meaning.nearest import MOST_NEAR, Neighbours, nearest
from apps.memory.documents.contents import words_of
from apps.memory.documents.finding import read_entries
from apps.memory.documents.matching import Documents, Numbers, Wanted
from apps.memory.documents.owners import Finder, Owner, Place
from apps.memory.documents.scoring import Scores
from apps.memory.documents.storing import Kept
from apps.memory.exposition import count_search

LONGEST_QUERY = 2_000
LEAST_SCORE = 0.7
# Memories of one owner that are compared, the newest that fit: as many as have vectors
# to compare.
MOST_COMPARED = 20_000
# Of them, where there are more, those with a word in common that are looked through.
MOST_WORDED = 5_000
# Where no more are compared, all are looked through and those with most words in common
# are told. Asked of an index, a question of common words has nearly all of 8,000 sent
# here: 185 ms instead of 43.
MOST_SHARING = 300
# Of so few, those with so large a share of the words are looked for before it is known
# how large it has to be.
MOST_EARLY = 2_000
EARLY_SHARE = 0.5
# A share that is as large as a score, but for how it is written.
ROUNDING = 1e-6
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
    counts: Mapping[str, int] | None = None,
) -> SearchResult:
    """Return the nearest memories of these owners, which the caller may see.

    With `keeping`, the nearest of those that it keeps, however many are nearer.
    `counts` are those of `begin`, if that was a while ago.
    """
    scores = Scores()
    owner_of = {one.document.id: one for one in owners}
    wanted = Wanted(now=act.now, types=asked.types, tags=asked.tags)
    if counts is None:
        counts = begin(act, owners, asked)
    documents = _compared(scores, counts, wanted)
    by_words = partial(_by_words, scores, documents, counts, wanted, asked.query)
    # While the question is embedded.
    is_early = sum(counts.values()) <= MOST_EARLY
    share = max(EARLY_SHARE, asked.least) if is_early else inf
    if is_early:
        by_words(share)
    if documents:
        _by_meaning(scores, documents, wanted, asked)
    matches: list[Match] = []
    for least in scores.leasts(asked.limit, asked.least):
        if least < share:
            by_words(least)
        matches = _matches(scores, owner_of, act, asked, keeping or list, least)
        if len(matches) == asked.limit:
            break
    return SearchResult(
        matches=matches,
        candidates=scores.candidates,
        method=scores.method,
        pending=scores.pending,
        stale=scores.stale,
        is_truncated=scores.is_truncated,
        why=scores.why,
    )


def begin(act: Act, owners: Sequence[Owner], asked: SearchAsked) -> dict[str, int]:
    """Count what is compared of each document; the question is embedded meanwhile.

    Where there is nothing to compare, it is not, and no model is loaded.
    """
    wanted = Wanted(now=act.now, types=asked.types, tags=asked.tags)
    counts = wanted.counted([one.document.id for one in owners])
    if counts:
        embedding.begin(asked.query, Reading.SENTENCES)
    return counts


def _matches(
    scores: Scores,
    owner_of: Mapping[str, Owner],
    act: Act,
    asked: SearchAsked,
    keeping: Keeping,
    least: float,
) -> list[Match]:
    """Read the nearest, twice as many each time, until enough of them are kept."""
    best = sorted(scores.by_id.items(), key=lambda one: (-one[1], one[0]))
    near = [one for one in best if one[1] >= least]
    found: list[Match] = []
    at, most = 0, asked.limit
    while at < len(near) and len(found) < asked.limit:
        by_id = dict(near[at : at + most])
        named = [(name, owner_of[scores.document_of[name]]) for name in by_id]
        kept = _kept(named, act)
        found += [
            Match(kept=one, score=round(by_id[one.content.id], 4))
            for one in keeping([kept[name] for name in by_id if name in kept])
        ]
        at, most = at + most, 2 * most
    return found[: asked.limit]


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


def _compared(scores: Scores, counts: Mapping[str, int], wanted: Wanted) -> Documents:
    """Return the documents, each with the id from which on it is compared."""
    found = {}
    for one, count in counts.items():
        scores.candidates += min(count, MOST_COMPARED)
        scores.is_truncated = scores.is_truncated or count > MOST_COMPARED
        is_all = count <= MOST_COMPARED
        found[one] = "" if is_all else wanted.first_of_newest(one, MOST_COMPARED)
    return found


def _by_words(
    scores: Scores,
    documents: Documents,
    counts: Mapping[str, int],
    wanted: Wanted,
    query: str,
    least: float,
) -> None:
    """Count the share of the question's words that a memory has, if it is so large."""
    words = sorted(set(words_of(query)))
    if not words:
        return
    few = [one for one in documents if counts[one] <= MOST_COMPARED]
    shared_least = max(1, ceil(least * len(words) - ROUNDING))
    found = wanted.worded(few, words, least=shared_least, most=MOST_SHARING)
    for one in documents.keys() - few:
        many = wanted.worded_of_many(one, documents[one], words, most=MOST_WORDED + 1)
        scores.is_truncated = scores.is_truncated or len(many) > MOST_WORDED
        found += many[:MOST_WORDED]
    for document_id, memory_id, shared in found:
        if shared:
            scores.count(document_id, memory_id, shared / len(words))


def _by_meaning(
    scores: Scores, documents: Documents, wanted: Wanted, asked: SearchAsked
) -> None:
    """Count what is nearest by its text, where the version that is near still stands.

    Without a filter nearly all are wanted: as many as are asked for, and some, are
    looked at. Where too few of them are, all that are wanted are compared.
    """
    near: dict[str, Neighbours] = {}
    known: Numbers = {}
    left = dict(documents)
    if not (asked.types or asked.tags):
        most = asked.limit + BESIDE
        near = _nearest(scores, documents, asked.query, wanted.now, most=most + 1)
        some = {key: one.found[:most] for key, one in near.items()}
        keys = [one.key for found in some.values() for one in found]
        known = wanted.numbers({one: documents[one] for one in near}, keys)
        left = {
            one: documents[one]
            for one, found in some.items()
            if len(near[one].found) > len(found)
            and len(_standing(found, known[one])) < asked.limit
        }
    if left:
        known |= wanted.numbers(left)
        near = {key: one for key, one in near.items() if key not in left}
        near |= _nearest(scores, left, asked.query, wanted.now, among=known)
    for document_id, found in near.items():
        scores.count_looks(found)
        for one in _standing(found.found, known[document_id]):
            scores.count(document_id, one.key, one.similarity)


def _standing(found: Sequence[Near], known: Mapping[str, int]) -> list[Near]:
    """Keep those whose text is of the version that stands."""
    return [one for one in found if known.get(one.key) == one.number]


def _nearest(
    scores: Scores,
    documents: Collection[str],
    query: str,
    now: datetime,
    *,
    among: Numbers | None = None,
    most: int = MOST_NEAR,
) -> dict[str, Neighbours]:
    """Return what is nearest in each; where nothing can be compared, say why."""
    found = {}
    for one in documents:
        keys = None if among is None else among[one]
        try:
            found[one] = nearest(
                one, query, among=keys, reading=Reading.SENTENCES, most=most, now=now
            )
        except EmbeddingFailed as error:
            scores.why = str(error)
    return found
