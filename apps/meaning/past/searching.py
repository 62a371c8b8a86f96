"""Search old states by meaning: a page of 20,000 versions, newest first.

Exact: the question is compared with every vector of the page. Of the nearest their
words count as well, so that a number or a name in a question finds the version that
has it. What one may not see, or is no longer there, is left out of what is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from apps.agents.scope import Scope
from apps.core import sql
from apps.core.admission import gate
from apps.core.errors import InvalidRequest
from apps.core.keyset import LAST_ID, LAST_NUMBER
from apps.meaning import embedding
from apps.meaning.embedding import Embedder, EmbeddingFailed
from apps.meaning.errors import MeaningOff, MeaningUnavailable
from apps.meaning.nearest import ROWS_A_UNIT, asked_vectors
from apps.meaning.past.pending import agents_of, count_pending
from apps.meaning.past.texts import text_of
from apps.timeline.models import Session
from apps.timeline.queries import VersionChanges, version_changes

if TYPE_CHECKING:
    from apps.meaning.matrices import Matrix

LONGEST_QUERY = 2_000
MOST_VERSIONS = 20_000
# The nearest by meaning, of which the words count as well.
NEAREST = 200
# As many are looked at where others may not be seen, or have gone.
MOST_LOOKED_AT = 1_000
_WORD = re.compile(r"[^\W_]+")

# Aggregated, because so many rows take five times as long to send and to read.
_LOAD = """
SELECT array_agg(v.session_id) AS sessions, array_agg(v.number) AS numbers,
       array_agg(v.scale) AS scales, string_agg(v.data, ''::bytea) AS data
  FROM (SELECT session_id, number, scale, data FROM meaning_pastvector
         WHERE project_id = %(project)s AND model = %(model)s
           AND (session_id, number) < (%(session)s::varchar, %(number)s::bigint)
           AND (%(agents)s::text[] IS NULL OR agent_id = ANY (%(agents)s::text[]))
         ORDER BY session_id DESC, number DESC LIMIT %(most)s) v
"""
_IS_BEHIND = """
SELECT NOT EXISTS (
       SELECT FROM meaning_backfill
        WHERE project_id = %(project)s AND model = %(model)s AND before IS NULL
       ) AS is_so
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class PastPlace:
    """Behind which version of which session a page begins."""

    session_id: str = LAST_ID
    number: int = LAST_NUMBER


@dataclass(frozen=True, kw_only=True, slots=True)
class PastMatch:
    """A version that is so near a question: from 0 to 1, and as a cosine distance."""

    version: VersionChanges
    session: Session
    text: str
    by_meaning: float
    by_words: float
    distance: float

    @property
    def similarity(self) -> float:
        return round(max(self.by_meaning, self.by_words), 4)

    @property
    def line(self) -> str:
        """What was compared, in one line."""
        return " · ".join(self.text.splitlines())

    @property
    def rank(self) -> tuple[float, float]:
        """Put what is near by both before what is near by one of them."""
        return -(self.by_meaning + self.by_words), self.distance


@dataclass(frozen=True, kw_only=True, slots=True)
class PastFound:
    """The nearest versions, nearest first, and how far was looked.

    `looked_at` versions were compared; `next` is where older ones begin. `pending`
    counts versions that wait to be embedded, noticed or not, of a thousand sessions and
    as many appends at most; while
    `is_catching_up`, sessions from before are still to be noticed.
    """

    model: str
    matches: Sequence[PastMatch]
    looked_at: int
    next: PastPlace | None
    pending: int
    is_catching_up: bool


def search_past(
    scope: Scope, question: str, *, after: PastPlace, limit: int, now: datetime
) -> PastFound:
    """Return the versions of a page that are nearest to a question.

    Raises: MeaningOff, MeaningUnavailable; InvalidRequest for a question without words.
    """
    wanted = _words(question)
    if not wanted or len(question) > LONGEST_QUERY:
        message = f"q takes words, {LONGEST_QUERY:,} characters at most."
        raise InvalidRequest(message, param="q")
    if not scope.project.search_by_meaning:
        raise MeaningOff
    try:
        embedder = embedding.current()
        (vector,) = asked_vectors(embedder, [question])
    except EmbeddingFailed as error:
        raise MeaningUnavailable(str(error)) from error
    matrix, places = _page(scope, embedder, after)
    gate.spend(len(places) // ROWS_A_UNIT)
    near = _near(matrix, places, vector, embedder, most=max(NEAREST, limit))
    has_more = len(places) == MOST_VERSIONS and matrix.is_truncated
    project = {"project": scope.project.id, "model": embedder.name}
    return PastFound(
        model=embedder.name,
        matches=_matches(scope, near, wanted, limit=limit, now=now),
        looked_at=len(places),
        next=PastPlace(session_id=places[-1][0], number=places[-1][1])
        if has_more
        else None,
        pending=count_pending(scope),
        is_catching_up=bool(sql.rows(_IS_BEHIND, project)[0].is_so),
    )


@dataclass(frozen=True, slots=True)
class _Near:
    place: tuple[str, int]
    similarity: float
    distance: float


def _page(
    scope: Scope, embedder: Embedder, after: PastPlace
) -> tuple[Matrix, list[tuple[str, int]]]:
    import numpy as np

    from apps.meaning.matrices import Matrix

    asked = {
        "project": scope.project.id,
        "model": embedder.name,
        "session": after.session_id,
        "number": after.number,
        "agents": agents_of(scope),
        "most": MOST_VERSIONS + 1,
    }
    (row,) = sql.rows(_LOAD, asked)
    found = list(zip(row.sessions or [], row.numbers or [], strict=True))
    data = np.frombuffer(row.data or b"", np.int8).reshape(-1, embedder.dimensions)
    matrix = Matrix(
        items=[session_id for session_id, _ in found[:MOST_VERSIONS]],
        numbers=[number for _, number in found[:MOST_VERSIONS]],
        scales=np.array((row.scales or [])[:MOST_VERSIONS], np.float32),
        data=data[:MOST_VERSIONS],
        bare=[],
        is_truncated=len(found) > MOST_VERSIONS,
    )
    return matrix, found[:MOST_VERSIONS]


def _near(
    matrix: Matrix,
    places: Sequence[tuple[str, int]],
    vector: Any,
    embedder: Embedder,
    *,
    most: int,
) -> Iterator[list[_Near]]:
    """Yield the nearest of a page, nearest first, so many at once."""
    import numpy as np

    from apps.meaning.embedding.rows import shown

    cosines = matrix.cosines(vector)
    similar = shown(cosines, embedder.near)
    order = np.argsort(-cosines, kind="stable")[:MOST_LOOKED_AT].tolist()
    for start in range(0, len(order), most):
        yield [
            _Near(places[at], float(similar[at]), float(1 - cosines[at]))
            for at in order[start : start + most]
        ]


def _matches(
    scope: Scope,
    near: Iterator[list[_Near]],
    wanted: set[str],
    *,
    limit: int,
    now: datetime,
) -> list[PastMatch]:
    found: list[PastMatch] = []
    for some in near:
        found += _seen(scope, some, wanted, now)
        if len(found) >= limit:
            break
    return sorted(found, key=lambda one: one.rank)[:limit]


def _seen(
    scope: Scope, near: Sequence[_Near], wanted: set[str], now: datetime
) -> Iterator[PastMatch]:
    """Yield those that the caller may see, with what they say."""
    ids = sorted({one.place[0] for one in near})
    mine = Session.objects.of_project(scope.project.id).of_agents(scope.agents)
    alive = mine.alive(now=now).for_lists().filter(id__in=ids)[: len(ids)]
    sessions = {one.id: one for one in alive}
    versions = version_changes(
        [one.place for one in near if one.place[0] in sessions],
    )
    for one in near:
        version = versions.get(one.place)
        if version is None:
            continue
        text = text_of(version.reasoning, version.changes)
        share = len(wanted & _words(text)) / len(wanted)
        yield PastMatch(
            version=version,
            session=sessions[one.place[0]],
            text=text,
            by_meaning=one.similarity,
            by_words=share,
            distance=round(max(one.distance, 0.0), 4),
        )


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
