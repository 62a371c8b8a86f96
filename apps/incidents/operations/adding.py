"""Adding sessions to an incident by hand."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.diffs.text import count
from apps.incidents.models import Incident, Member
from apps.incidents.operations.opening import Collected, freeze, require_bounded
from apps.incidents.operations.recording import append_entry, record
from apps.incidents.seeing import incidents_seen, require_own
from apps.incidents.words import Deed


@transaction.atomic
def add(*, act: Act, incident_id: str, session_ids: Sequence[str]) -> Incident:
    """Add sessions as they are now; those taken out come back as they were collected.

    What is in it already is no change, and all of it none at all.

    Raises: IncidentNotFound, PermissionDenied, SessionNotFound for one that whoever
    acts does not see, UnacceptableIncident, InvalidRequest.
    """
    ids = list(Collected.named(session_ids).session_ids)
    incident = incidents_seen(act.scope).locked(incident_id)
    require_own(act, incident)
    mine = Member.objects.of_incident(incident.id)
    some = mine.seen_by(act.scope).filter(session_id__in=ids)
    kept = dict(some.values_list("session_id", "removed_at"))
    new = [one for one in ids if one not in kept]
    back = [one for one, removed_at in kept.items() if removed_at is not None]
    if not new and not back:
        return incident
    require_bounded(mine.still_in().count() + len(new) + len(back), "sessions")
    if new:
        freeze(act, incident, new, is_named=True)
    mine.filter(session_id__in=back).update(removed_at=None, removed_by=None)
    if incident.check_text is not None and incident.checked_at is not None:
        incident.checked_at = None
        incident.save(update_fields=["checked_at"])
    n = len(new) + len(back)
    append_entry(incident, act, Deed.ADDED, text=count(n, "session"))
    record(Action.INCIDENT_WIDENED, incident, act, {"sessions": n})
    return incident
