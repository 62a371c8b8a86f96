"""Which chains moved: what was noted, and what is looked at page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.audit import operations as audit
from apps.audit.entries import Entry
from apps.core import sql
from apps.core.notes import keys
from apps.core.notes.roots import Kind

NOTE = """
INSERT INTO witness_moved AS m (kind, chain_id, times, since)
SELECT DISTINCT n.kind, n.id, 1, %(now)s::timestamptz
  FROM unnest(%(kinds)s::text[], %(ids)s::text[]) n (kind, id) ORDER BY 1, 2
    ON CONFLICT (kind, chain_id) DO UPDATE SET times = m.times + 1 RETURNING 1
"""
OLDEST = """
SELECT kind, chain_id, times FROM witness_moved ORDER BY since, kind, chain_id LIMIT %s
"""
SINCE = "SELECT min(since) AS since FROM witness_moved"
DONE = """
DELETE FROM witness_moved m
 USING unnest(%(kinds)s::text[], %(ids)s::text[], %(times)s::bigint[])
    AS d (kind, id, times)
 WHERE m.kind = d.kind AND m.chain_id = d.id AND m.times = d.times RETURNING 1
"""
SERVER = """
SELECT system_identifier::text || ' ' || current_database() AS name
  FROM pg_control_system()
"""
# Ids of what has versions, whose chain is signed: sessions and keyed documents.
CHAINED = ("sess_", "doc_")
LOOK = sql.across("SELECT id FROM timeline_session WHERE id > %s ORDER BY id LIMIT %s")
PROJECTS = "SELECT id FROM accounts_project ORDER BY id"
AGENTS = "SELECT id FROM agents_agent WHERE id > %s ORDER BY id LIMIT %s"


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain that moved, and how often it was fed by then."""

    kind: str
    chain_id: str
    times: int


def note_moved(entries: Sequence[Entry], now: datetime) -> None:
    """Note the chains that these events are about, where there is a key to sign them.

    A session or a document is chained by its versions, the acts of people by their
    project.
    """
    if keys.signing_key() is None:
        return
    found = {(Kind.RECORD.value, one.project_id) for one in entries}
    found |= {
        (Kind.SESSION.value, one.stream_id)
        for one in entries
        if one.number is not None and one.stream_id.startswith(CHAINED)
    }
    kinds, ids = zip(*sorted(found), strict=True)
    sql.rows(NOTE, {"now": now, "kinds": list(kinds), "ids": list(ids)})


def oldest_moved(limit: int) -> list[Chain]:
    """Return the chains that have waited longest."""
    return sql.records(Chain, OLDEST, [limit])


def moved_since() -> datetime | None:
    """Return since when the oldest news waits for the signer; None without any."""
    found: datetime | None = sql.rows(SINCE, [])[0].since
    return found


def forget_moved(signed: Sequence[Chain]) -> None:
    """Take these off the list, but for those that moved again meanwhile."""
    asked = {
        "kinds": [one.kind for one in signed],
        "ids": [one.chain_id for one in signed],
        "times": [one.times for one in signed],
    }
    sql.rows(DONE, asked)


def server() -> str:
    """Return by what this database is told from one on another server."""
    return str(sql.rows(SERVER, [])[0].name)


def sessions_after(session_id: str, limit: int) -> list[str]:
    """Return sessions by their ids, of all projects."""
    return [row.id for row in sql.rows(LOOK, [session_id, limit])]


def agents_after(agent_id: str, limit: int) -> list[str]:
    """Return agents by their ids, of all projects: each has a record of its own."""
    return [row.id for row in sql.rows(AGENTS, [agent_id, limit])]


def chained_projects() -> list[str]:
    """Return whose acts are chained: all projects, and the installation."""
    return [audit.INSTALLATION, *(row.id for row in sql.rows(PROJECTS, []))]
