"""Opening an incident: freeze the sessions that it is about."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.core import sql
from apps.core.actors import SYSTEM
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.incidents.errors import UnacceptableIncident
from apps.incidents.models import Incident, Member
from apps.incidents.operations.recording import append_entry, record
from apps.incidents.operations.texts import check_of, title_of
from apps.incidents.words import MOST, Deed
from apps.timeline.errors import SessionNotFound
from apps.timeline.search import (
    Field,
    Query,
    VersionSays,
    collect_sessions,
    parse_query,
    searched_by,
    write_clause,
)

# Sessions that are read, and rows that are written, at once.
AT_ONCE = 2_000
# Pages' worth of looking: of a search that finds little among very many sessions.
WALKS = 60
MISSES = (
    "The search could not look into everything: some sessions are not indexed yet, or "
    "their states could not be read. Others may be missing."
)
_SESSION_ID = re.compile(r"sess_[0-9a-z]{26}", re.ASCII)
_HEADS = sql.across("""
SELECT s.id, s.agent_id, s.head_number, v.release, v.model
  FROM timeline_session s
  JOIN agents_agent a ON a.id = s.agent_id
  JOIN timeline_version v ON v.session_id = s.id AND v.number = s.head_number
 WHERE s.id = ANY (%(ids)s::varchar[]) AND s.project_id = %(project)s
   AND s.kind = 'session' AND s.status <> 'deleted'
   AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
   AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
 ORDER BY s.id LIMIT %(limit)s
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Collected:
    """Which sessions are meant, and the search that found them, if one did.

    `misses`: that search could not look into all, so others may be missing.
    """

    session_ids: Sequence[str]
    query: str | None = None
    misses: bool = False

    @classmethod
    def named(cls, session_ids: Sequence[str]) -> Collected:
        """Take the sessions that were named, each once.

        Raises: UnacceptableIncident, InvalidRequest.
        """
        ids = list(dict.fromkeys(session_ids))
        require_bounded(len(ids), "sessions")
        for place, one in enumerate(ids):
            if not _SESSION_ID.fullmatch(one):
                raise InvalidRequest(
                    f"sessions takes ids of sessions; item {place} is none.",
                    param="sessions",
                )
        return cls(session_ids=ids)

    @classmethod
    def found(cls, act: Act, text: str) -> Collected:
        """Take all sessions that a search finds.

        Raises: UnacceptableIncident, and InvalidRequest for a search that is not
        understood.
        """
        with searched_by("search"):
            return _walked(act, parse_query(text, now=act.now), text, "search")

    @classmethod
    def of_release(cls, act: Act, name: str) -> Collected:
        """Take all sessions of which some version was written by a release.

        Raises: UnacceptableIncident.
        """
        clause = VersionSays(text="", field=Field.RELEASE, value=name)
        return _walked(act, Query((clause,)), write_clause(clause), "release")


@transaction.atomic
def open_incident(
    *, act: Act, title: str, collected: Collected, check: str | None = None
) -> Incident:
    """Freeze the list of sessions with what their heads say; they are not changed.

    Raises: UnacceptableIncident, SessionNotFound for one that whoever acts does not
    see, InvalidRequest for a check that is not understood.
    """
    # Two at once wait for each other, so that no number is given twice.
    Project.objects.select_for_update(no_key=True).get(id=act.project_id)
    incident = Incident.objects.create(
        id=new_id("incd", now=act.now),
        project=act.project,
        number=Incident.objects.next_number(act.project_id),
        title=title_of(title),
        query=collected.query,
        check_text=check_of(check),
        opened_by_kind=act.actor.kind.value,
        opened_by_id=act.actor.id,
        opened_by_label=act.actor.label,
        created_at=act.now,
    )
    ids = list(collected.session_ids)
    require_bounded(len(ids), "sessions")
    freeze(act, incident, ids, is_named=collected.query is None)
    append_entry(incident, act, Deed.OPENED, text=incident.title)
    if incident.check_text is not None:
        append_entry(incident, act, Deed.CHECK, text=incident.check_text, place=1)
    if collected.misses:
        by_system = replace(act, actor=SYSTEM)
        append_entry(incident, by_system, Deed.NOTED, text=MISSES, place=2)
    listed = hashlib.sha256("\n".join(ids).encode()).hexdigest()
    told = {"sessions": len(ids), "sessions_sha256": listed}
    record(Action.INCIDENT_OPENED, incident, act, told)
    return incident


def require_bounded(count: int, param: str) -> None:
    if not count:
        raise UnacceptableIncident("There is no such session.", param=param)
    if count > MOST:
        raise UnacceptableIncident(
            f"An incident has at most {MOST:,} sessions; these are {count:,}.",
            param=param,
        )


def _walked(act: Act, query: Query, text: str, param: str) -> Collected:
    found = collect_sessions(act.scope, query, now=act.now, most=MOST, walks=WALKS)
    if found.has_more:
        raise UnacceptableIncident(
            f"An incident has at most {MOST:,} sessions, and this finds more, or looks"
            " through too many. Narrow it.",
            param=param,
        )
    if found.misses and not found.sessions:
        raise UnacceptableIncident(f"None was found so far. {MISSES}", param=param)
    require_bounded(len(found.sessions), param)
    return Collected(
        session_ids=[one.id for one in found.sessions], query=text, misses=found.misses
    )


def freeze(act: Act, incident: Incident, ids: Sequence[str], *, is_named: bool) -> int:
    """Write a row for each session; return for how many.

    Raises: SessionNotFound, for one that was named and is not there to be seen.
    """
    frozen = 0
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        rows = _heads(act, some)
        if is_named and len(rows) < len(some):
            there = {row.id for row in rows}
            missing = next(one for one in some if one not in there)
            raise SessionNotFound(f"There is no session {missing}.", param="sessions")
        Member.objects.bulk_create(
            Member(
                project_id=incident.project_id,
                incident=incident,
                session_id=row.id,
                agent_id=row.agent_id,
                head_number=row.head_number,
                release=row.release,
                model=row.model,
            )
            for row in rows
        )
        frozen += len(rows)
    # What a search found may have been deleted at this moment.
    require_bounded(frozen, "sessions")
    return frozen


def _heads(act: Act, ids: Sequence[str]) -> Sequence[Any]:
    return sql.rows(
        _HEADS,
        {
            "ids": sql.text_array(ids),
            "project": act.project_id,
            "now": act.now,
            "agents": act.scope.agent_list,
            "limit": len(ids),
        },
    )
