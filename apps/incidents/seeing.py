"""What of incidents somebody may see: a key of some agents, what is of these alone."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.checks import CheckRefused, read_text
from apps.core.errors import PermissionDenied
from apps.diffs.readers import reader
from apps.incidents.models import Incident, Member
from apps.incidents.querysets import IncidentQuerySet
from apps.timeline.bisect import tells_hidden


def incidents_seen(scope: Scope) -> IncidentQuerySet:
    """The project's; for a key of some agents, those with a session of these."""
    mine = Incident.objects.of_project(str(scope.project.id))
    if scope.agents is None:
        return mine
    seen = Member.objects.seen_by(scope).filter(incident_id=OuterRef("id"))
    return mine.filter(Exists(seen))


def is_told_whole(act: Act, incident: Incident) -> bool:
    """Whether what was searched and looked for is told: it may speak of other agents.

    A key that is limited to agents is told it of what it opened itself.
    """
    if act.scope.agents is None:
        return True
    opened_by = incident.opened_by_kind, incident.opened_by_id
    return opened_by == (act.actor.kind.value, act.actor.id)


def require_own(act: Act, incident: Incident) -> None:
    """Refuse to a limited key what would change an incident for other agents, too.

    Raises: PermissionDenied.
    """
    if not is_told_whole(act, incident):
        raise PermissionDenied(
            "A key that is limited to agents changes only incidents that it opened."
        )


def hides_check(text: str) -> bool:
    """Whether what comes of a check would tell whoever looks what masks cover."""
    try:
        return tells_hidden(read_text(text))
    except CheckRefused:
        return reader() is not None
