"""Recall for the context of a session: what is near the question, and live.

What the context was given is noted: the session has read it. What a version taught that
a rollback has set aside is left out unless it is asked for: the session stepped back
from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from apps.core.time.moments import utc_text
from apps.memory.documents.finding import read_rows
from apps.memory.documents.owners import Owner, Place, owners_of_session
from apps.memory.documents.storing import Kept
from apps.memory.models import Memory
from apps.memory.operations.searching import Match, SearchAsked, begin, search_owners
from apps.memory.reads.noting import Given, note_read
from apps.timeline.hooks import RecallAsked, Recalled
from apps.timeline.models import Session
from apps.timeline.versions import live_ranges

DEFAULT_LIMIT = 5
# The newest that are looked through for some that are not set aside.
MOST_LOOKED_AT = 1_000
# What has nothing to do with the question at all is left out.
LEAST = 1e-4
# With so many to choose from and none this near, the question has drifted away.
LEAST_CANDIDATES = 3
DRIFT = 0.5


def recall(asked: RecallAsked) -> Callable[[], Recalled]:
    """Begin to look for the memories that go into a session's context.

    What is returned answers with them, and notes that they did: ask it last, for the
    question is embedded meanwhile. Without a question they are the newest, and none has
    a score.

    """
    if not asked.limit:
        return Recalled
    place = Place(session_id=asked.head.session_id)
    owners = owners_of_session(asked.act.scope, asked.head)
    if asked.query is None or not asked.query.strip():
        return partial(_newest_told, asked, owners)
    wanted = SearchAsked(query=asked.query, place=place, limit=asked.limit, least=LEAST)
    counts = begin(asked.act, owners, wanted)
    return partial(_nearest_told, asked, owners, wanted, counts)


def _newest_told(asked: RecallAsked, owners: Sequence[Owner]) -> Recalled:
    newest = [(one, None) for one in _newest(asked, owners)]
    return Recalled(memories=_given(asked, newest))


def _nearest_told(
    asked: RecallAsked,
    owners: Sequence[Owner],
    wanted: SearchAsked,
    counts: Mapping[str, int],
) -> Recalled:
    keeping = partial(_live, asked=asked)
    found = search_owners(asked.act, owners, wanted, keeping=keeping, counts=counts)
    matches = found.matches
    return Recalled(
        memories=_given(asked, [(one.kept, one.score) for one in matches]),
        average_relevance=_mean(matches),
        is_drifting=_is_drifting(found.candidates, matches),
    )


def set_aside(session_id: str, version: int) -> bool:
    """Say whether a rollback has set that version of a session aside."""
    head = Session.objects.filter(id=session_id).values_list("head_number", flat=True)
    number = head.first()
    if number is None:
        return False
    ranges = live_ranges(session_id, number, down_to=version)
    return not any(version in live for live in ranges)


def _newest(asked: RecallAsked, owners: Sequence[Owner]) -> list[Kept]:
    mine = Memory.objects.of([one.document.id for one in owners]).defer("words")
    believed = mine.believed(now=asked.act.now)
    found: list[Kept] = []
    after_id, most, looked_at = None, asked.limit, 0
    while len(found) < asked.limit and looked_at < MOST_LOOKED_AT:
        rows = list(believed.newest_first(after_id=after_id)[:most])
        kept = read_rows(asked.act.scope, rows, now=asked.act.now)
        found += _live(kept, asked)
        if len(rows) < most:
            break
        after_id, looked_at, most = rows[-1].id, looked_at + most, 2 * most
    return found[: asked.limit]


def _live(memories: Sequence[Kept], asked: RecallAsked) -> list[Kept]:
    """Keep what versions taught that are live, and what no version did."""
    if asked.includes_set_aside:
        return list(memories)
    known: dict[tuple[str, int], bool] = {}
    return [one for one in memories if not is_set_aside(one, known)]


def is_set_aside(kept: Kept, known: dict[tuple[str, int], bool]) -> bool:
    """Say whether all that taught a memory was set aside; `known` is filled."""
    sources = (kept.content.source, *kept.content.reinforcements)
    for one in sources:
        if one.session_id is None or one.version is None:
            return False
        place = (one.session_id, one.version)
        if place not in known:
            known[place] = set_aside(*place)
        if not known[place]:
            return False
    return True


def _given(asked: RecallAsked, given: Given) -> list[dict[str, Any]]:
    note_read(
        act=asked.act,
        session_id=asked.head.session_id,
        version=asked.head.number,
        given=given,
    )
    return [_told(kept, score) for kept, score in given]


def _told(kept: Kept, score: float | None) -> dict[str, Any]:
    content = kept.content
    return {
        "id": content.id,
        "content": content.content,
        "type": content.type,
        "score": score,
        "created_at": utc_text(content.created_at),
        "scope": content.scope,
        "tags": list(content.tags),
        "confidence": content.confidence,
    }


def _mean(matches: Sequence[Match]) -> float:
    if not matches:
        return 0.0
    return round(sum(one.score for one in matches) / len(matches), 4)


def _is_drifting(candidates: int, matches: Sequence[Match]) -> bool:
    best = max((one.score for one in matches), default=0.0)
    return candidates >= LEAST_CANDIDATES and best < DRIFT
