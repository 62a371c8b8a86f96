"""Which memories are meant: statements that every search and every addition runs.

Of a search one for all documents, however many owners are asked for, in a text that is
the same every time: a connection plans it once. Put together by the ORM for each owner,
with its values in it, they were four tenths of a search.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from apps.core import sql
from apps.memory.models import Memory
from apps.memory.querysets import STANDING, MemoryQuerySet

# Each document with the id from which on its memories are meant; all of them with none.
Documents = Mapping[str, str]
# Of each document, the versions of some ids.
Numbers = dict[str, dict[str, int]]
# A document, the id of a memory, and how many of the words it has.
Worded = tuple[str, str, int]

_OF = "unnest(%(documents)s::varchar[], %(firsts)s::varchar[]) d (id, first)"
# As the index has it that they are counted by.
_BELIEVED = "m.status = 'believed' AND (m.expires_at IS NULL OR m.expires_at > %(now)s)"
_TYPES = " AND m.type = ANY(%(types)s::text[])"
_TAGS = " AND m.tags && %(tags)s::text[]"
# Of rows, not of ids: the index that they are counted by has none.
_COUNTED = """
SELECT m.document_id, count(*) AS memories FROM memory_memory m
 WHERE m.document_id = ANY(%(documents)s::varchar[]) AND {wanted}
 GROUP BY m.document_id
"""
# Counted there: words of a thousand memories take longer to send than to compare. What
# has so many of the words has one of `some`, which are quicker to look for than all.
_WORDED = """
SELECT m.document_id, m.id, x.shared FROM memory_memory m
 CROSS JOIN LATERAL (
       SELECT count(*) AS shared FROM unnest(%(words)s::text[]) w (word)
        WHERE w.word = ANY(m.words)) x
 WHERE m.document_id = ANY(%(documents)s::varchar[]) AND {wanted}
   AND m.words && %(some)s::text[] AND x.shared >= %(least)s
 ORDER BY x.shared DESC, m.id LIMIT %(most)s
"""
_NUMBERED = """
SELECT m.document_id, m.id, m.number FROM {of}
  JOIN memory_memory m ON m.document_id = d.id AND m.id >= d.first
 WHERE {wanted}
"""
_NAMED = f"{_NUMBERED} AND m.id = ANY(%(ids)s::varchar[])"
_STANDING = f"""
SELECT m.id FROM memory_memory m
 WHERE m.document_id = %(document)s AND m.status IN {STANDING}
   AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
"""  # noqa: S608
_STANDING_NAMED = sql.PreparedQuery(f"{_STANDING} AND m.id = ANY(%(ids)s::varchar[])")
_STANDING_EQUAL = sql.PreparedQuery(
    f"{_STANDING} AND m.digest = %(digest)s ORDER BY m.id LIMIT 1"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """What is believed now, of one of these types, with one of these tags."""

    now: datetime
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def counted(self, documents: Collection[str]) -> dict[str, int]:
        """Return how many there are of each document; of none there is no number."""
        found = self._rows(_COUNTED, documents=sql.text_array(documents))
        return {row.document_id: row.memories for row in found}

    def first_of_newest(self, document_id: str, most: int) -> str:
        """Return the oldest id of so many newest of a document that has more."""
        wanted = self._of(document_id).order_by("-id")
        return wanted.values_list("id", flat=True)[most - 1]

    def worded(
        self,
        documents: Collection[str],
        words: Collection[str],
        *,
        least: int,
        most: int,
    ) -> list[Worded]:
        """Return those with most of these words and `least` of them or more.

        Whoever has `least` of the words has one of any that are left without one less;
        the longest are the rarest.
        """
        some = sorted(words, key=len)[least - 1 :]
        named = {"documents": documents, "words": words, "some": some}
        texts = {name: sql.text_array(one) for name, one in named.items()}
        if not (documents and some):
            return []
        return list(self._rows(_WORDED, **texts, least=least, most=most))

    def worded_of_many(
        self, document_id: str, first: str, words: Collection[str], *, most: int
    ) -> list[Worded]:
        """Return the newest of a document with one of these words, and maybe others.

        They are found by an index, which PostgreSQL takes only where it sees the words
        when it plans.
        """
        wanted = self._of(document_id).filter(id__gte=first).order_by("-id")
        shared = wanted.with_a_word_of(document_id, words)
        asked = set(words)
        return [
            (document, name, len(asked.intersection(own)))
            for document, name, own in shared.values_list("document_id", "id", "words")[
                :most
            ]
        ]

    def numbers(
        self, documents: Documents, ids: Collection[str] | None = None
    ) -> Numbers:
        """Return of each document the versions of these ids, or of all."""
        if ids is None:
            rows = self._rows(_NUMBERED, **_named(documents))
        else:
            rows = self._rows(_NAMED, **_named(documents), ids=sql.text_array(ids))
        found: Numbers = {one: {} for one in documents}
        for row in rows:
            found[row.document_id][row.id] = row.number
        return found

    def _of(self, document_id: str) -> MemoryQuerySet:
        believed = Memory.objects.of([document_id]).believed(now=self.now)
        return believed.narrowed(types=self.types, tags=self.tags)

    def _rows(self, text: str, **asked: Any) -> list[Any]:
        asked["now"] = self.now
        if self.types:
            asked["types"] = list(self.types)
        if self.tags:
            asked["tags"] = list(self.tags)
        statement = _written(text, bool(self.types), bool(self.tags))
        return sql.run_prepared(statement, asked)


def standing_of(
    document_id: str, ids: Collection[str], *, now: datetime
) -> frozenset[str]:
    """Return those of these ids under which something is believed or proposed."""
    asked = {"document": document_id, "ids": sql.text_array(ids), "now": now}
    found = sql.run_prepared(_STANDING_NAMED, asked) if ids else []
    return frozenset(row.id for row in found)


def standing_equal(document_id: str, digest: bytes, *, now: datetime) -> str | None:
    """Return the first id under which a text with this digest stands."""
    asked = {"document": document_id, "digest": digest, "now": now}
    found = sql.run_prepared(_STANDING_EQUAL, asked)
    return found[0].id if found else None


@cache
def _written(text: str, has_types: bool, has_tags: bool) -> sql.PreparedQuery:
    """Return a statement with the conditions that are asked for."""
    narrowed = (_TYPES if has_types else "") + (_TAGS if has_tags else "")
    return sql.PreparedQuery(text.format(of=_OF, wanted=_BELIEVED + narrowed))


def _named(documents: Documents) -> dict[str, str]:
    return {
        "documents": sql.text_array(documents),
        "firsts": sql.text_array(documents.values()),
    }
