"""Walks an index from session to session, newest first, and looks sessions up in it.

A step is one descent in a b-tree, however many rows a session has there, so a value
that one session holds and a value that 500,000 hold both give their first page at
once. Of terms a session has one row under a path: there the next rows of the index are
the next sessions, and are read without a step for each. Nothing is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.core import keyset, sql
from apps.timeline.projection.lag import COUNTED

# How much of what is pending a search looks through, the newest sessions first: more
# than it may find waiting without saying so, because some comes while it looks.
PENDING = 2 * COUNTED

_WALK = """
WITH RECURSIVE walk (session_id) AS (
    SELECT (SELECT {first})
    UNION ALL
    SELECT (SELECT {next}) FROM walk WHERE walk.session_id IS NOT NULL)
"""
_WALKED = """
(SELECT session_id FROM walk WHERE session_id IS NOT NULL LIMIT %(limit)s)
"""
# In the same statement, so that nothing is projected between the two.
_PENDING_TOO = f"""
SELECT p.session_id
  FROM (SELECT * FROM timeline_pending
         ORDER BY session_id DESC, number DESC LIMIT {PENDING}) p
 WHERE p.session_id < %(before)s::varchar AND ({{pending}})
 ORDER BY session_id DESC LIMIT %(limit)s
"""  # noqa: S608
# NULLS LAST is what ties each of these to its own index: see search_indexes_v1.sql.
_STEP = """
(SELECT max(step.session_id)
   FROM unnest({keys}) k ({names})
  CROSS JOIN LATERAL (
        SELECT t.session_id FROM {table} t
         WHERE {match} AND t.session_id < {before}
         ORDER BY t.session_id DESC NULLS LAST LIMIT 1) step)"""
# The limit is no constant to the planner: of a value that it takes for rare it would
# else read and sort all rows, be they 500,000, where an index is not vacuumed yet.
_NEXT = """
SELECT next.session_id
  FROM unnest({keys}) k ({names})
 CROSS JOIN LATERAL (
       SELECT t.session_id FROM {table} t
        WHERE {match} AND t.session_id < %(before)s::varchar
        ORDER BY t.session_id DESC NULLS LAST
        LIMIT (SELECT %(limit)s::bigint)) next
"""
_PENDING = """
EXISTS (SELECT FROM unnest({keys}) k ({names}) JOIN {pending} ON {match})"""
_AMONG = """
SELECT s.id FROM unnest(%(ids)s::varchar[]) s (id)
 CROSS JOIN LATERAL (
       SELECT FROM unnest({keys}) k ({names}) JOIN {table}_current t ON {match}
        WHERE t.session_id = s.id LIMIT 1) one"""
# Key by key: else all terms of each session are read.
_AMONG_TERMS = """
SELECT s.id FROM unnest(%(ids)s::varchar[]) s (id)
 CROSS JOIN unnest({keys}) k ({names})
 CROSS JOIN LATERAL (
       SELECT FROM {table}_current t
        WHERE t.session_id = s.id AND {match} LIMIT 1) one"""
# Whose change rows are gone below some version: bodies tell.
_THINNED = """
(SELECT s.id FROM timeline_session s
  WHERE s.project_id = %({name}_project)s AND s.thinned_below IS NOT NULL
    AND s.id < %(before)s::varchar
  ORDER BY s.id DESC LIMIT %(limit)s)"""
_AMONG_THINNED = """
SELECT s.id FROM unnest(%(ids)s::varchar[]) w (id)
  JOIN timeline_session s ON s.id = w.id
 WHERE s.thinned_below IS NOT NULL AND s.project_id = %({name}_project)s"""
_LIVE = sql.query("timeline", "search_live_paths", pending=PENDING)
TERMS = "timeline_term"
_WAITING = {
    "timeline_change": "unnest(p.path_keys, p.value_keys, p.roles)"
    " t (path_key, value_key, role)",
    TERMS: "unnest(p.term_keys, p.term_values) t (path_key, value_key)",
}

Params = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """Entries of one index: the columns of which are equal to one of these keys."""

    table: str
    columns: dict[str, list[bytes]]
    also: str = ""
    # With the sessions of this project that were thinned, which no entry names.
    thinned_of: str = ""

    @property
    def has_one_row(self) -> bool:
        """Whether a session has at most one row for each of the keys."""
        return self.table == TERMS and "path_key" in self.columns

    def next(self, name: str) -> str:
        return _NEXT.format(**self._names(name))

    def step(self, name: str, before: str) -> str:
        return _STEP.format(before=before, **self._names(name))

    def among(self, name: str) -> str:
        query = _AMONG_TERMS if self.has_one_row else _AMONG
        return query.format(**self._names(name))

    def pending(self, name: str) -> str:
        return _PENDING.format(**self._names(name))

    def params(self, name: str) -> Params:
        found: Params = {f"{name}_{key}": keys for key, keys in self.columns.items()}
        return found | ({f"{name}_project": self.thinned_of} if self.thinned_of else {})

    def _names(self, name: str) -> dict[str, str]:
        keys = ", ".join(f"%({name}_{column})s::bytea[]" for column in self.columns)
        match = [f"t.{column} = k.{column}" for column in self.columns]
        return {
            "keys": keys,
            "names": ", ".join(self.columns),
            "table": self.table,
            "pending": _WAITING[self.table],
            "match": " AND ".join([*match, self.also] if self.also else match),
        }

    @property
    def is_empty(self) -> bool:
        return not all(self.columns.values())


@dataclass(frozen=True, slots=True)
class IndexScan:
    """The sessions that stand in any of these entries."""

    entries: list[Entry] = field(default_factory=list)

    def below(self, before: str | None, limit: int) -> list[str]:
        """Return up to `limit` session ids below `before`, newest first."""
        entries = self._named()
        if not entries:
            return []
        params: Params = {"before": before or keyset.LAST_ID, "limit": limit}
        for name, entry in entries:
            params |= entry.params(name)
        query = _union(
            [
                *([_WALKED] if (walked := _steps(entries)) else []),
                *(one.next(name) for name, one in entries if one.has_one_row),
                *(
                    _THINNED.format(name=name)
                    for name, one in entries
                    if one.thinned_of
                ),
                _PENDING_TOO.format(
                    pending=" OR ".join(one.pending(name) for name, one in entries)
                ),
            ]
        )
        return [row.session_id for row in sql.rows(walked + query, params)]

    def among(self, ids: Sequence[str]) -> set[str]:
        """Return which of these sessions stand there."""
        entries = self._named()
        if not entries or not ids:
            return set()
        params: Params = {"ids": sql.text_array(ids)}
        for name, entry in entries:
            params |= entry.params(name)
        thinned = [name for name, entry in entries if entry.thinned_of]
        query = " UNION ".join(
            [
                *(entry.among(name) for name, entry in entries),
                *(_AMONG_THINNED.format(name=name) for name in thinned),
            ]
        )
        return {row.id for row in sql.rows(query, params)}

    def _named(self) -> list[tuple[str, Entry]]:
        kept = [one for one in self.entries if not one.is_empty]
        return [(f"e{at}", one) for at, one in enumerate(kept)]


def set_at(values: list[bytes], paths: list[bytes]) -> Entry:
    """Sessions in which a version set one of these values at one of these paths."""
    pairs = [(value, path) for value in values for path in paths]
    columns = {
        "value_key": [value for value, _ in pairs],
        "path_key": [path for _, path in pairs],
    }
    return Entry("timeline_change", columns)


def set_anywhere(values: list[bytes]) -> Entry:
    return Entry("timeline_change", {"value_key": values})


def changed_at(paths: list[bytes]) -> Entry:
    return Entry("timeline_change", {"path_key": paths}, "t.role < 4")


def changed_later(paths: list[bytes]) -> Entry:
    """Sessions in which a version but the first changed one of these paths."""
    also = "t.role < 4 AND t.number > 0"
    return Entry("timeline_change", {"path_key": paths}, also)


def held_at(path: bytes, values: list[bytes]) -> Entry:
    """Sessions with one of these values under one term."""
    columns = {"path_key": [path] * len(values), "value_key": values}
    return Entry(TERMS, columns)


def held_anywhere(values: list[bytes]) -> Entry:
    return Entry(TERMS, {"value_key": values})


def tagged(tags: list[bytes], *, thinned_of: str = "") -> Entry:
    columns = {"path_key": tags, "value_key": tags}
    return Entry(TERMS, columns, thinned_of=thinned_of)


def live_paths(paths: list[bytes], values: list[bytes]) -> list[bytes]:
    """Return which of these paths any session of the project has."""
    found = sql.rows(_LIVE, {"paths": paths, "values": values})
    return [bytes(row.path_key) for row in found]


def _steps(entries: list[tuple[str, Entry]]) -> str:
    """Return the walk over those entries in which a session may have many rows."""
    many = [(name, one) for name, one in entries if not one.has_one_row]
    if not many:
        return ""
    first, then = (
        _greatest([one.step(name, at) for name, one in many])
        for at in ("%(before)s::varchar", "walk.session_id")
    )
    return _WALK.format(first=first, next=then)


def _union(queries: list[str]) -> str:
    return "\n UNION\n".join(queries)


def _greatest(steps: list[str]) -> str:
    return f"greatest({', '.join(steps)})"
