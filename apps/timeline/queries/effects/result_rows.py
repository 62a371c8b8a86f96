"""Results of the record as they are read: the statements, and where they look."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from apps.core import keyset, sql
from apps.timeline.ledger.effects.values import Source

# How many tries of one call are looked at: a session that polls has made it thousands
# of times.
MOST_TRIES = 100
_NEVER_COUNTED = "0"
_COUNTED = """(
       SELECT count(*) FROM timeline_effect u
        WHERE u.session_id = %(session)s AND u.source_effect_id = e.id
          AND u.source_session_id = %(session)s)"""


def _results(which: str, reused: str) -> str:
    return sql.of_session(sql.query("timeline", "results", which=which, reused=reused))


OF_CALL = _results(
    f"""e.id = ANY (ARRAY(
       SELECT n.id FROM timeline_effect n
        WHERE n.session_id = %(session)s AND n.call_digest = %(digest)s
          AND n.effect_class = 'read' AND n.source_effect_id IS NULL
        ORDER BY n.id DESC LIMIT {MOST_TRIES}))""",  # noqa: S608
    _NEVER_COUNTED,
)
PAGE = _results(
    f"""{keyset.below_id("e.id")}
   AND NOT EXISTS (
       SELECT FROM unnest(%(tools)s::text[], %(digests)s::bytea[],
                          %(ats)s::timestamptz[]) a (tool, digest, at)
        WHERE a.at >= e.created_at AND (a.tool IS NULL OR a.tool = e.tool)
          AND (a.digest IS NULL OR a.digest = e.call_digest))""",
    _COUNTED,
)
_OFFERED = "e.cache_scope = 'agent' AND e.id = ANY (%(ids)s::varchar[])"
ONE_OFFERED = _results(_OFFERED, _NEVER_COUNTED)
SOME_OFFERED = _results(_OFFERED, _COUNTED)
_OF_THE_CALL = """
   AND (f.tool IS NULL OR f.tool = %(tool)s)
   AND (f.call_digest IS NULL OR f.call_digest = %(digest)s)
"""
_FORGOTTEN_HERE = f"""(
       SELECT max(f.created_at) FROM timeline_forgetting f
        WHERE f.session_id = %(session)s {_OF_THE_CALL})
"""  # noqa: S608
_FORGOTTEN_BY_AGENT = f"""
SELECT max(f.created_at) AS at FROM timeline_agentforgetting f
 WHERE f.project_id = %(project)s AND f.agent_id = %(agent)s {_OF_THE_CALL}
"""  # noqa: S608
_SELECTED = """
SELECT s.id, s.agent_id, s.origin_session_id, s.origin_number, s.created_at,
       head.number AS head
"""
_SEEN = """
  FROM timeline_session s
  JOIN LATERAL (SELECT v.number, v.hold FROM timeline_version v
                 WHERE v.session_id = %(session)s
                 ORDER BY v.number DESC LIMIT 1) head ON true
 WHERE s.id = %(session)s AND s.project_id = %(project)s AND s.kind = 'session'
   AND (s.expires_at IS NULL OR s.expires_at > %(now)s) AND head.hold <> 'deleted'
"""
_PLACE = sql.of_session(_SELECTED + _SEEN)
_START = sql.of_session(f"{_SELECTED}, {_FORGOTTEN_HERE} AS forgotten {_SEEN}")
ALL_FORGOTTEN_BY_AGENT = """
SELECT f.tool, f.call_digest AS digest, max(f.created_at) AS at
  FROM timeline_agentforgetting f
 WHERE f.project_id = %(project)s AND f.agent_id = %(agent)s
   AND f.created_at >= %(since)s
 GROUP BY f.tool, f.call_digest
"""
POINTER = """
SELECT r.session_id, r.effect_id FROM timeline_agentresult r
 WHERE r.project_id = %(project)s AND r.agent_id = %(agent)s
   AND r.call_digest = %(digest)s
"""
POINTERS = sql.query("timeline", "agent_results", bound=keyset.below_id("r.effect_id"))


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultRow:
    """A result that may answer its call again.

    `reused` says how many effects of its own session it has answered, where that was
    counted; `version` was the head when it was made.
    """

    session_id: str
    effect_id: str
    key: str
    tool: str
    call_digest: bytes
    arguments: bytes | None
    arguments_size: int
    cache_scope: str | None
    begun_at: datetime
    version: int
    made_at: datetime
    result: bytes | None
    result_reference: str | None
    result_digest: str | None
    external_id: str | None
    reused: int

    @property
    def source(self) -> Source:
        names = Source.__dataclass_fields__
        return Source(**{name: getattr(self, name) for name in names})


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where results are looked for: a session, its head, and what may be known of it.

    What was made on `top` or later, or after `until`, is not known.
    """

    id: str
    agent_id: str
    origin_session_id: str | None
    origin_number: int | None
    created_at: datetime
    head: int
    until: datetime | None = None
    is_origin: bool = False
    # Until when the call was forgotten, of the place where one starts.
    forgotten: datetime | None = None

    @property
    def top(self) -> int:
        return self.head if self.is_origin else self.head + 1


def place_of(project_id: str, session_id: str, now: datetime) -> Place | None:
    """Return a session that is there and not over."""
    asked = {"session": session_id, "project": project_id, "now": now}
    found = sql.records(Place, _PLACE, asked)
    return found[0] if found else None


def start_of(asked: dict[str, Any]) -> Place | None:
    """Return the session that asks, and until when it forgets results of the call.

    What its agent forgets for all sessions counts as well.
    """
    found = sql.records(Place, _START, asked)
    if not found:
        return None
    (by_agent,) = sql.rows(_FORGOTTEN_BY_AGENT, asked | {"agent": found[0].agent_id})
    moments = [at for at in (found[0].forgotten, by_agent.at) if at is not None]
    return replace(found[0], forgotten=max(moments, default=None))


def found_in(query: str, place: Place, **asked: Any) -> list[ResultRow]:
    absent = ("tool", "forgotten", "since")
    given = dict.fromkeys(absent) | {"set_aside": False} | asked
    where = {
        "session": place.id,
        "head": place.head,
        "top": place.top,
        "until": place.until,
    }
    return sql.records(ResultRow, query, given | where)
