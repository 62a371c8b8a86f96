"""What is told of incidents outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.agents.acts import Act
from apps.core.time.moments import utc_text
from apps.incidents.counting import Counts, Group, counts_of
from apps.incidents.listing import MemberRow
from apps.incidents.models import Entry, Incident, Member
from apps.incidents.reports import Report
from apps.incidents.seeing import is_told_whole


def incident_object(incident: Incident, act: Act) -> dict[str, Any]:
    """Return an incident with the counts of what the caller may see."""
    counts = counts_object(counts_of(incident, act.scope))
    return listed_incident(incident, act, counts["sessions"]) | {"counts": counts}


def listed_incident(incident: Incident, act: Act, sessions: int) -> dict[str, Any]:
    """Return an incident without what its sessions have in common."""
    is_whole = is_told_whole(act, incident)
    return {
        "object": "incident",
        "id": incident.id,
        "number": incident.number,
        "title": incident.title,
        "status": incident.status,
        "owner": incident.owner_label,
        "q": incident.query if is_whole else None,
        "check": incident.check_text if is_whole else None,
        "checked_at": utc_text(incident.checked_at),
        "sessions": sessions,
        "limited": act.scope.agents is not None,
        "opened_by": incident.opened_by_label,
        "created_at": utc_text(incident.created_at),
        "resolved_at": utc_text(incident.resolved_at),
    }


def counts_object(counts: Counts) -> dict[str, Any]:
    return {
        "sessions": counts.sessions,
        "removed": counts.removed,
        "by_agent": _groups(counts.by_agent),
        "by_release": _groups(counts.by_release),
        "by_model": _groups(counts.by_model),
        "by_first_bad_release": _groups(counts.by_bad_release),
        "bad": counts.bad,
        "good": counts.good,
        "unknown": counts.unknown,
        "not_looked_at": counts.waiting,
        "first_bad_at": utc_text(counts.since),
    }


def member_object(row: MemberRow, act: Act) -> dict[str, Any]:
    member, session = row.member, row.session
    return {
        "object": "incident_member",
        "session_id": member.session_id,
        "title": row.title,
        "agent_id": member.agent.external_id,
        "status": session.status if session else None,
        "version": member.head_number,
        "head_version": session.head_number if session else None,
        "release": member.release,
        "model": member.model,
        "removed_at": utc_text(member.removed_at),
        "removed_by": member.removed_by,
        "verdict": member.verdict,
        "first_bad": _first_bad(member, act),
    }


def entry_object(entry: Entry) -> dict[str, Any]:
    return {
        "object": "incident_note",
        "id": entry.id,
        "deed": entry.deed,
        "text": entry.text,
        "session_id": entry.session_id,
        "by": entry.actor_label,
        "created_at": utc_text(entry.created_at),
    }


def report_object(report: Report, act: Act) -> dict[str, Any]:
    incident = report.incident
    return {
        "object": "incident_report",
        "incident": incident_object(incident, act),
        "open": list(report.still_open),
        "markdown": report.markdown,
        "made_at": utc_text(act.now),
    }


def _groups(groups: Sequence[Group]) -> list[dict[str, Any]]:
    return [{"name": one.name, "sessions": one.sessions} for one in groups]


def _first_bad(member: Member, act: Act) -> dict[str, Any] | None:
    """Return the first bad version; in an origin of another agent it is not told."""
    is_own = member.bad_session_id == member.session_id
    if member.bad_session_id is None or not (is_own or act.scope.agents is None):
        return None
    return {
        "session_id": member.bad_session_id,
        "version": member.bad_number,
        "release": member.bad_release,
        "at": utc_text(member.bad_at),
    }
