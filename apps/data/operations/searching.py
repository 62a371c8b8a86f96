"""Search values by meaning and by words.

By meaning where there is a model: every value's vector is compared with the question's,
and of the nearest their words count as well, so that a name or a number that stands in
a value is found as such. Values that have no vector are searched by words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from apps.agents.acts import Act
from apps.audit.streams import Operation
from apps.core.errors import InvalidRequest
from apps.data.documents.values import KeptValue
from apps.data.operations.reading import with_values
from apps.data.operations.recording import found, record_unless_off, told
from apps.meaning.embedding import EmbeddingFailed
from apps.meaning.nearest import Neighbours, nearest
from apps.timeline import queries
from apps.timeline.operations import Document
from apps.timeline.queries import EntryRow

LONGEST_QUERY = 2_000
# Where the caller does not say: from here texts begin to be near each other.
LEAST_SIMILARITY = 0.7
# What one search looks through at most; beyond it the answer says that there is more.
MOST_KEYS = 5_000
MOST_BYTES = 16 * 1024 * 1024
AT_ONCE = 250
# The nearest by meaning, of which the words count as well.
NEAREST = 50
_WORD = re.compile(r"[^\W_]+")


class Method(StrEnum):
    """By what was searched."""

    MEANING = "meaning"
    WORDS = "words"
    # By meaning, and by words what has no vector of the model yet.
    BOTH = "meaning_and_words"


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchAsked:
    """What is looked for, and how near it has to be, from 0 to 1.

    `method` is how it is to be searched: by words alone, or by meaning as far as that
    is possible.
    """

    query: str
    limit: int
    least: float
    prefix: str = ""
    method: Method = Method.WORDS


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A value and how near the question it is, from 0 to 1."""

    value: KeptValue
    similarity: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """The nearest values, nearest first, and how far was looked.

    `is_truncated`: not all values were looked at. `pending` and `stale` count those
    that wait for a vector, or have one of another model only; `why` says why it was not
    searched by meaning.
    """

    matches: Sequence[Match]
    is_truncated: bool
    method: Method
    event_id: str | None
    pending: int = 0
    stale: int = 0
    why: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    matches: Iterable[Match]
    is_truncated: bool
    method: Method
    pending: int = 0
    stale: int = 0
    why: str | None = None


def search(*, act: Act, reference: str, asked: SearchAsked) -> SearchResult:
    """Return the values that are nearest to the question, by meaning or by words.

    Raises: AgentNotFound; InvalidRequest for a question without a word.
    """
    wanted = _words(asked.query)
    if not wanted or len(asked.query) > LONGEST_QUERY:
        raise InvalidRequest(
            f"query takes words, {LONGEST_QUERY:,} characters at most.", param="query"
        )
    _, document = found(act, reference)
    looked = _looked(document, act, asked, wanted)
    near = [one for one in looked.matches if one.similarity >= max(asked.least, 1e-9)]
    near = sorted(near, key=_rank)[: asked.limit]
    about = told(
        Operation.DATA_SEARCH,
        asked.prefix,
        details={"count": len(near), "method": looked.method.value},
    )
    return SearchResult(
        matches=near,
        is_truncated=looked.is_truncated,
        method=looked.method,
        event_id=record_unless_off(act, document, about),
        pending=looked.pending,
        stale=looked.stale,
        why=looked.why,
    )


def _looked(
    document: Document, act: Act, asked: SearchAsked, wanted: set[str]
) -> _Found:
    if asked.method is Method.WORDS:
        return _by_words(document, act, asked, wanted)
    try:
        near = nearest(document.id, asked.query, prefix=asked.prefix, now=act.now)
    except EmbeddingFailed as error:
        return _by_words(document, act, asked, wanted, why=str(error))
    matches, is_truncated = _by_meaning(document, act, asked, wanted, near)
    is_truncated = is_truncated or near.is_truncated
    if not (near.pending or near.stale):
        return _Found(matches=matches, is_truncated=is_truncated, method=Method.MEANING)
    words = _by_words(document, act, asked, wanted)
    return _Found(
        matches=_merged(matches, words.matches),
        is_truncated=is_truncated or words.is_truncated,
        method=Method.BOTH,
        pending=near.pending,
        stale=near.stale,
    )


def _by_words(
    document: Document,
    act: Act,
    asked: SearchAsked,
    wanted: set[str],
    *,
    why: str | None = None,
) -> _Found:
    walk = _Walk(document, act, asked.prefix)
    near: list[Match] = []
    for value in walk.values():
        share = _share(wanted, value)
        if share >= asked.least and share > 0:
            near.append(Match(value=value, similarity=round(share, 4)))
            near = sorted(near, key=_rank)[: asked.limit]
    return _Found(
        matches=near, is_truncated=walk.is_truncated, method=Method.WORDS, why=why
    )


def _by_meaning(
    document: Document,
    act: Act,
    asked: SearchAsked,
    wanted: set[str],
    near: Neighbours,
) -> tuple[list[Match], bool]:
    """Return the nearest values and those without a vector, as they stand now."""
    similar = {one.key: one for one in near.found}
    keys = [*similar, *near.bare]
    most = max(NEAREST, asked.limit)
    matches: list[Match] = []
    size = 0
    for at in range(0, len(keys), most):
        rows = queries.entries_named(document.id, keys[at : at + most], now=act.now)
        standing = [
            row
            for row in rows
            if row.key not in similar or row.number == similar[row.key].number
        ]
        size += sum(row.size for row in standing)
        if size > MOST_BYTES:
            return matches, True
        for value in with_values(document, standing):
            by_meaning = similar[value.key].similarity if value.key in similar else 0.0
            best = max(by_meaning, _share(wanted, value))
            matches.append(Match(value=value, similarity=round(best, 4)))
        if len(matches) >= most:
            break
    return matches, False


def _merged(first: Iterable[Match], second: Iterable[Match]) -> list[Match]:
    found: dict[str, Match] = {}
    for one in (*first, *second):
        known = found.get(one.value.key)
        if known is None or known.similarity < one.similarity:
            found[one.value.key] = one
    return list(found.values())


class _Walk:
    """Values of a document in the order of their keys, so many and no more."""

    def __init__(self, document: Document, act: Act, prefix: str) -> None:
        self.document = document
        self.now = act.now
        self.prefix = prefix
        self.is_truncated = False

    def values(self) -> Iterator[KeptValue]:
        """Yield values until the limits are met."""
        keys = size = 0
        after = ""
        while rows := self._rows(after):
            fitting: list[EntryRow] = []
            for row in rows:
                keys, size = keys + 1, size + row.size
                if keys > MOST_KEYS or size > MOST_BYTES:
                    self.is_truncated = True
                    break
                fitting.append(row)
            yield from with_values(self.document, fitting)
            if self.is_truncated or len(rows) < AT_ONCE:
                return
            after = rows[-1].key

    def _rows(self, after: str) -> Sequence[EntryRow]:
        return queries.entries(
            self.document.id,
            prefix=self.prefix,
            after=after,
            limit=AT_ONCE,
            now=self.now,
        )


def _share(wanted: set[str], value: KeptValue) -> float:
    """Return how many of the question's words are in a value or its key."""
    return len(wanted & _words(f"{value.key} {value.value}")) / len(wanted)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _rank(match: Match) -> tuple[float, str]:
    return -match.similarity, match.value.key
