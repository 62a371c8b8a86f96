"""Changing an incident: its title, status, owner and check, notes, who is in it."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal

from django.db import transaction

from apps.accounts.models import Membership
from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.incidents.errors import NotInIncident, UnacceptableIncident
from apps.incidents.models import Entry, Incident, Member
from apps.incidents.operations.recording import append_entry, record
from apps.incidents.operations.texts import check_of, note_of, title_of
from apps.incidents.seeing import incidents_seen, require_own
from apps.incidents.words import Deed, Status
from apps.timeline.models import Session


class Kept(Enum):
    """What is not named stays as it is; None says that there is to be none."""

    KEEP = 0


KEEP: Final = Kept.KEEP
Keep = Literal[Kept.KEEP]


@transaction.atomic
def change(
    *,
    act: Act,
    incident_id: str,
    title: str | Keep = KEEP,
    status: str | Keep = KEEP,
    owner: str | Keep | None = KEEP,
    check: str | Keep | None = KEEP,
) -> Incident:
    """Change what is named; what is so already is no deed, and not in the history.

    `owner` is the user name of a member of the project.

    Raises: IncidentNotFound, PermissionDenied, UnacceptableIncident, InvalidRequest for
    a check that is not understood.
    """
    incident = _held(act, incident_id)
    deeds: list[tuple[Deed, str | None]] = []
    if title is not KEEP:
        deeds += _titled(incident, title_of(title))
    if status is not KEEP:
        deeds += _stands(incident, act, status)
    if owner is not KEEP:
        deeds += _owned(incident, owner)
    if check is not KEEP:
        deeds += _checked(incident, check_of(check))
    if not deeds:
        return incident
    incident.save(
        update_fields=[
            *("title", "status", "resolved_at", "owner_id", "owner_label"),
            *("check_text", "checked_at", "watched_to"),
        ]
    )
    for place, (deed, text) in enumerate(deeds):
        append_entry(incident, act, deed, text=text, place=place)
    changed = {"changed": [deed.value for deed, _ in deeds], "status": incident.status}
    record(Action.INCIDENT_CHANGED, incident, act, changed)
    return incident


@transaction.atomic
def note(*, act: Act, incident_id: str, text: str) -> Entry:
    """Append a note to the history of an incident.

    Raises: IncidentNotFound, PermissionDenied, UnacceptableIncident.
    """
    incident = _held(act, incident_id)
    entry = append_entry(incident, act, Deed.NOTED, text=note_of(text))
    record(Action.INCIDENT_NOTED, incident, act, {"entry": entry.id})
    return entry


@transaction.atomic
def remove(*, act: Act, incident_id: str, session_id: str) -> Incident:
    """Take a session out that does not belong to the incident; its row stays, marked.

    Raises: IncidentNotFound, PermissionDenied, NotInIncident.
    """
    incident = _held(act, incident_id)
    # A keyed document is none, and a deleted session is one to take out.
    if not Session.objects.of_project(act.project_id).filter(id=session_id).exists():
        raise NotInIncident
    mine = Member.objects.of_incident(incident.id)
    seen = mine.seen_by(act.scope).values("session_id")
    member = mine.filter(session_id__in=seen).held(session_id)
    member.removed_at, member.removed_by = act.now, act.actor.label
    member.save(update_fields=["removed_at", "removed_by"])
    append_entry(incident, act, Deed.REMOVED, session_id=session_id)
    record(Action.INCIDENT_NARROWED, incident, act, {"session_id": session_id})
    return incident


def _held(act: Act, incident_id: str) -> Incident:
    incident = incidents_seen(act.scope).locked(incident_id)
    require_own(act, incident)
    return incident


def _titled(incident: Incident, title: str) -> list[tuple[Deed, str | None]]:
    if title == incident.title:
        return []
    incident.title = title
    return [(Deed.TITLED, title)]


def _stands(incident: Incident, act: Act, status: str) -> list[tuple[Deed, str | None]]:
    if status not in Status.values:
        raise UnacceptableIncident(
            f"status takes {', '.join(Status.values)}.", param="status"
        )
    if status == incident.status:
        return []
    incident.status = status
    incident.resolved_at = act.now if incident.is_resolved else None
    incident.watched_to = None
    return [(Deed.STATUS, status)]


def _owned(incident: Incident, owner: str | None) -> list[tuple[Deed, str | None]]:
    if owner is None:
        if incident.owner_id is None:
            return []
        incident.owner_id = incident.owner_label = None
        return [(Deed.OWNER, None)]
    members = Membership.objects.in_project(incident.project_id)
    found = members.filter(user__username=owner, user__is_active=True)
    member = found.select_related("user").first()
    if member is None:
        raise UnacceptableIncident(
            "owner takes the user name of a member of the project.", param="owner"
        )
    if incident.owner_id == member.user_id:
        return []
    incident.owner_id, incident.owner_label = member.user_id, member.user.username
    return [(Deed.OWNER, member.user.username)]


def _checked(incident: Incident, check: str | None) -> list[tuple[Deed, str | None]]:
    """Set the check, and forget what another one said of the sessions."""
    if check == incident.check_text:
        return []
    incident.check_text, incident.checked_at = check, None
    incident.watched_to = None
    Member.objects.of_incident(incident.id).forget_verdicts()
    return [(Deed.CHECK, check)]
