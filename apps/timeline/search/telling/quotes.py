"""The words around what was looked for, as they were said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from apps.core import json
from apps.core.admission import work
from apps.core.admission.work import WorkBudget
from apps.diffs.readers import drawn
from apps.timeline import bodies
from apps.timeline.bodies import CorruptBody
from apps.timeline.projection import kept
from apps.timeline.projection.texts import (
    MOST_TEXT,
    brought_messages,
    message_texts,
    texts,
)
from apps.timeline.search.conditions.base import Candidate, Hit, of_each

# How much of a text is quoted, and how much of it stands before what was looked for.
LONGEST = 160
LEAD = 40
# Of a larger turn nothing is quoted: a page has many.
LARGEST = 64 * 1024
_WORD = re.compile(r"\w+")
# Of each session what the page asks of any: the keys say which are asked of it.
_REASONINGS = """
SELECT v.number, v.reasoning AS text
  FROM timeline_version v
 WHERE v.session_id = w.id AND v.number = ANY (%(numbers)s::bigint[])
   AND w.id || ':' || v.number = ANY (%(keys)s::text[])"""
_TURNS = f"""
SELECT t.turn_number AS number, t.reasoning,
       t.codec, t.data, t.size, t.salt
  FROM timeline_turn t
 WHERE t.session_id = w.id AND t.turn_number = ANY (%(numbers)s::bigint[])
   AND w.id || ':' || t.turn_number = ANY (%(keys)s::text[])
   AND t.size <= {LARGEST}"""  # noqa: S608
# A summary is told by the last of its turns; several may end with one.
_SUMMARIES = """
SELECT m.last_turn AS number, m.text
  FROM timeline_summary m
 WHERE m.session_id = w.id AND m.last_turn = ANY (%(numbers)s::bigint[])
   AND w.id || ':' || m.last_turn = ANY (%(keys)s::text[])"""

# A version that keeps messages, and what the one before it shows: it brought the rest.
_MESSAGES = """
SELECT v.number, v.commitment, b.size,
       o.body_number AS before_number, o.commitment AS before_commitment
  FROM timeline_version v
  JOIN timeline_body b ON b.session_id = w.id AND b.number = v.number
  LEFT JOIN timeline_version o
    ON o.session_id = w.id AND o.number = v.number - 1
 WHERE v.session_id = w.id AND v.number = ANY (%(numbers)s::bigint[])
   AND w.id || ':' || v.number = ANY (%(keys)s::text[])"""

Texts = dict[tuple[str, str, int], list[str]]


@dataclass(frozen=True, slots=True)
class Said:
    """A hit in a text of a session, and what was looked for there."""

    session: Candidate
    hit: Hit
    term: str


def quoted(said: Sequence[Said]) -> list[Hit]:
    """Return the hits with the words around them, each text read once."""
    known = _texts(said)
    return [
        replace(one.hit, quote=best_quote(known.get(_key(one), ()), one.term))
        for one in said
    ]


def best_quote(texts: Sequence[str], term: str) -> str | None:
    """Quote the text that has most of the words; None where none has any."""
    found = [place for text in texts if (place := _place(text, term)) is not None]
    if not found:
        return None
    _, at, text = max(found, key=lambda place: place[0])
    return excerpt(text, at)


def excerpt(text: str, at: int) -> str:
    """Return what stands around a place of a text, cut at words, in one line."""
    text = drawn(text)
    at = min(at, len(text))
    start = max(0, at - LEAD)
    if start:
        start = text.find(" ", start, at) + 1 or start
    end = min(len(text), start + LONGEST)
    if end < len(text):
        end = max(text.rfind(" ", at, end), start) or end
        end = end if end > at else min(len(text), start + LONGEST)
    cut = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"


def _place(text: str, term: str) -> tuple[int, int, str] | None:
    """Return how many words of the term stand close together, and where."""
    low = text.lower()
    if len(low) != len(text):  # a letter that has no small one of its length
        low = text
    whole = low.find(term.lower())
    wanted = set(_WORD.findall(term.lower()))
    if whole >= 0:
        return len(wanted) + 1, whole, text
    places = [(one.start(), one[0]) for one in _WORD.finditer(low) if one[0] in wanted]
    best: tuple[int, int, str] | None = None
    for place, (at, _) in enumerate(places):
        near = {word for there, word in places[place:] if there < at + LONGEST - LEAD}
        if best is None or len(near) > best[0]:
            best = len(near), at, text
        if len(near) == len(wanted):
            break
    return best


def _key(one: Said) -> tuple[str, str, int]:
    if one.hit.turn_number is None:
        return one.session.id, one.hit.where, one.hit.version or 0
    return one.session.id, one.hit.where, one.hit.turn_number


def _texts(said: Sequence[Said]) -> Texts:
    found: Texts = {}
    for session_id, row in _rows(_REASONINGS, said, "reasoning"):
        text = bodies.opened_text(session_id, row.text) or ""
        found[session_id, "reasoning", row.number] = [text[:MOST_TEXT]]
    for session_id, row in _rows(_SUMMARIES, said, "summary"):
        found.setdefault((session_id, "summary", row.number), []).append(row.text)
    budget = WorkBudget(work.PAGE // 4)
    for session_id, row in _rows(_TURNS, said, "turn"):
        if not budget.is_spent:
            budget.spend(1 + row.size // work.BYTES_A_UNIT)
            found[session_id, "turn", row.number] = list(_of_turn(session_id, row))
    for session_id, row in _rows(_MESSAGES, said, "messages"):
        if not budget.is_spent:
            budget.spend(1 + 2 * row.size // work.BYTES_A_UNIT)
            found[session_id, "messages", row.number] = list(_of_messages(row))
    return found


def _rows(query: str, said: Sequence[Said], kind: str) -> Iterator[tuple[str, Any]]:
    some = [one for one in said if _key(one)[1] == kind]
    sessions = {one.session.id: one.session for one in some}
    asked = {
        "numbers": sorted({_key(one)[2] for one in some}),
        "keys": sorted({f"{_key(one)[0]}:{_key(one)[2]}" for one in some}),
    }
    for session_id, rows in of_each(query, list(sessions.values()), asked).items():
        for row in rows:
            yield session_id, row


def _of_turn(session_id: str, row: Any) -> Iterator[str]:
    """Yield what was said, each text for itself, and why."""
    try:
        place = bodies.Place(session_id, bytes(row.salt or b""))
        parts = bodies.turn_parts(row.codec, bytes(row.data), row.size, place)
    except CorruptBody:  # `verify` tells of it
        return
    for name in ("input", "output"):
        for text in texts(json.parse(parts[name])):
            yield text[:MOST_TEXT].replace("\x00", " ")
    reasoning = bodies.opened_text(session_id, row.reasoning)
    if reasoning:
        yield reasoning[:MOST_TEXT]


def _of_messages(row: Any) -> Iterator[str]:
    """Yield what was said in the messages that a version brought."""
    try:
        ((before, after),) = kept.kept_lists([kept.keeping(row)])
    except CorruptBody:  # `verify` tells of it
        return
    for text in message_texts(brought_messages(before, after) or []):
        yield text[:MOST_TEXT].replace("\x00", " ")
