"""Whose code made a state, and whose is to go on with it: told before anybody does.

A state of one release, model or schema may be read wrongly by another. What made a
state is what its version names, or the newest one up to the version that made its body.
What is to go on is what the caller says, or else what the agent's sessions write with
by now.
"""

from __future__ import annotations

from dataclasses import dataclass

from apps.core import sql
from apps.schemas.errors import NoMigration, SchemaNotFound
from apps.schemas.migrating import route
from apps.schemas.written import newest_declared
from apps.timeline.versions.reading import VersionRow

# How far back a version is looked for that names them.
LOOKED_BACK = 100
# How many of the agent's newest sessions tell what it writes with by now.
SESSIONS = 20

_MADE_BY = sql.of_session("""
SELECT (array_agg(v.release ORDER BY v.number DESC)
            FILTER (WHERE v.release IS NOT NULL))[1] AS release,
       (array_agg(v.model ORDER BY v.number DESC)
            FILTER (WHERE v.model IS NOT NULL))[1] AS model
  FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number BETWEEN %(first)s AND %(last)s
""")
_RUNNING = sql.across("""
SELECT v.release, v.model, v.created_at
  FROM timeline_session s
  JOIN timeline_version v ON v.session_id = s.id AND v.number = s.head_number
 WHERE s.project_id = %(project)s AND s.agent_id = %(agent)s AND s.kind = 'session'
   AND s.status <> 'deleted'
 ORDER BY s.id DESC LIMIT %(most)s
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ahead:
    """What is to go on with a state, as far as the caller says; None: unsaid."""

    release: str | None = None
    model: str | None = None
    schema: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """One thing that is another by now: `release`, `model` or `schema`.

    `migrates` says of a schema whether migrations lead there.
    """

    of: str
    was: str
    now: str
    migrates: bool | None = None


UNSAID = Ahead()


def moves(version: VersionRow, ahead: Ahead = UNSAID) -> tuple[Move, ...]:
    """Tell onto what other code a fork, a rollback or a resume of a version goes.

    What is known of one side alone is told of neither.
    """
    was = _made_by(version)
    now = {"release": ahead.release, "model": ahead.model}
    if any(now[name] is None and was[name] is not None for name in now):
        now = _running(version) | {name: one for name, one in now.items() if one}
    found = [
        Move(of=name, was=before, now=after)
        for name, before in was.items()
        if before is not None and (after := now[name]) is not None and after != before
    ]
    schema = ahead.schema or newest_declared(version.agent_id)
    known = version.schema_version
    if known is not None and schema is not None and schema != known:
        migrates = _migrates(version, schema)
        found.append(Move(of="schema", was=known, now=schema, migrates=migrates))
    return tuple(found)


def _made_by(version: VersionRow) -> dict[str, str | None]:
    named = {"release": version.release, "model": version.model}
    if all(named.values()):
        return named
    last = version.body_number
    (row,) = sql.rows(
        _MADE_BY,
        {
            "session": version.session_id,
            "first": max(0, last - LOOKED_BACK),
            "last": last,
        },
    )
    return {
        "release": named["release"] or row.release,
        "model": named["model"] or row.model,
    }


def _running(version: VersionRow) -> dict[str, str | None]:
    """Return what the agent's newest sessions were written with last."""
    asked = {
        "project": version.project_id,
        "agent": version.agent_id,
        "most": SESSIONS,
    }
    rows = sorted(sql.rows(_RUNNING, asked), key=lambda row: row.created_at)
    return {
        name: next((one for row in rows[::-1] if (one := getattr(row, name))), None)
        for name in ("release", "model")
    }


def _migrates(version: VersionRow, schema: str) -> bool:
    try:
        route(version.project_id, version.agent_id, version.schema_version, schema)
    except (SchemaNotFound, NoMigration):
        return False
    return True
