"""Match a bare term against names of versions and trace ids, whole or by prefix.

Names are external ids, labels and releases. Versions have no project, so no index has
a project's names in order: sessions are tagged with digests of the whole names and of
their first characters, and the names in tagged sessions decide. Trace ids that callers
gave are matched whole, by such a tag; ours are the ids of events, which an index has in
order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from apps.agents.scope import Scope
from apps.core import keyset, sql
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.search import index_scan
from apps.timeline.search.clauses import FreeTerm
from apps.timeline.search.conditions.base import (
    Candidate,
    Condition,
    Hit,
    Hits,
    TagCondition,
    of_each,
)
from apps.timeline.search.index_scan import IndexScan
from apps.timeline.search.prefixes import Prefix

TRACE = "trace_"
# How many events with a matching id are read: those of some seconds.
MOST_ACTS = 1_000

_AMONG = """
SELECT w.id FROM unnest(%(ids)s::varchar[]) w (id)
 CROSS JOIN LATERAL (SELECT FROM {table} v
                      WHERE v.session_id = w.id AND v.{column} ~>=~ %(first)s::text
                        AND v.{column} ~<~ %(end)s::text LIMIT 1) one
"""
_NAMES = f"""
SELECT v.number, v.{{column}} AS name FROM {{table}} v
 WHERE v.session_id = w.id AND v.{{column}} ~>=~ %(first)s::text
   AND v.{{column}} ~<~ %(end)s::text AND {keyset.below("v.number")}
 ORDER BY v.number DESC LIMIT %(limit)s"""  # noqa: S608
ACTS = sql.across("""
SELECT e.stream_id, e.number, e.id FROM audit_event e
 WHERE e.project_id = %(project)s AND e.id >= %(first)s::varchar
   AND e.id < %(end)s::varchar
 ORDER BY e.id DESC LIMIT %(most)s
""")


@dataclass(frozen=True, slots=True)
class Naming:
    """A kind of names of versions: where they stand, and the tag of their sessions."""

    where: str
    tag: SearchTag
    table: str
    column: str

    @property
    def among(self) -> str:
        return _AMONG.format(table=self.table, column=self.column)

    @property
    def names(self) -> str:
        return _NAMES.format(table=self.table, column=self.column)


NAMINGS = (
    Naming("external_id", SearchTag.EXTERNAL, "timeline_version", "external_id"),
    Naming("label", SearchTag.LABEL, "timeline_label", "name"),
    Naming("release", SearchTag.RELEASE, "timeline_version", "release"),
)


class VersionNames(Condition):
    """Some version has this name, or one that begins with it."""

    tells_only_met = True

    def __init__(self, clause: FreeTerm, key: bytes, naming: Naming) -> None:
        super().__init__(clause)
        self.naming = naming
        self.prefix = Prefix(clause.term)
        tags = index.names_beginning(key, clause.term, naming.tag)
        if not self.prefix.is_open:
            tags = []
        whole = index.tag_key(key, naming.tag, clause.term)
        self.scan = IndexScan([index_scan.tagged([whole, *tags])])

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        return self.scan.below(before, limit)

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        tagged = self.scan.among([one.id for one in sessions])
        if not tagged:
            return set()
        asked = {"ids": sorted(tagged), **self.prefix.bounds}
        return {row.id for row in sql.rows(self.naming.among, asked)}

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        tagged = self.scan.among([one.id for one in sessions])
        some = [one for one in sessions if one.id in tagged]
        asked = {"before": before, "limit": limit, **self.prefix.bounds}
        return {
            session_id: [
                Hit(where=self.naming.where, version=row.number, value=row.name)
                for row in rows
            ]
            for session_id, rows in of_each(self.naming.names, some, asked).items()
        }


class Acts(Condition):
    """Events whose id matches, with the sessions that they are about."""

    tells_only_met = True

    def __init__(self, clause: FreeTerm, scope: Scope) -> None:
        super().__init__(clause)
        self.scope = scope
        self.prefix = Prefix(clause.term)

    @cached_property
    def rows(self) -> list[Any]:
        text = self.prefix.text
        if not text.startswith(TRACE) or len(text) == len(TRACE):
            return []
        asked = {"project": self.scope.project.id, "most": MOST_ACTS + 1}
        return sql.rows(ACTS, asked | self.prefix.bounds)

    @cached_property
    def hits_of(self) -> dict[str, list[Hit]]:
        """Return the matching events of each session, newest first."""
        found: dict[str, list[Hit]] = {}
        for row in self.rows[:MOST_ACTS]:
            hit = Hit(where="trace", version=row.number, value=row.id)
            found.setdefault(row.stream_id, []).append(hit)
        return found

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        bound = before or keyset.LAST_ID
        newest = sorted(self.hits_of, reverse=True)
        return [one for one in newest if one < bound][:limit]

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        return {one.id for one in sessions if one.id in self.hits_of}

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        bound = keyset.LAST_NUMBER if before is None else before
        found: dict[str, list[Hit]] = {}
        for one in sessions:
            hits = self.hits_of.get(one.id, ())
            found[one.id] = [hit for hit in hits if _number(hit) < bound][:limit]
        return found

    def notices(self) -> list[str]:
        if len(self.rows) <= MOST_ACTS:
            return []
        return [f"of the traces that begin with it the newest {MOST_ACTS:,} are found"]


class Given(TagCondition):
    """What callers gave as a trace id or a reason code, whole.

    Only tagged sessions have their versions read.
    """

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        tagged = self.among(sessions)
        some = [one for one in sessions if one.id in tagged]
        return super().hits(some, before, limit)


def _number(hit: Hit) -> int:
    return -1 if hit.version is None else hit.version
