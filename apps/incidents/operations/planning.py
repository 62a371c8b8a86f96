"""Planning an act on the sessions of an incident: a plan that is shown first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.agents.acts import Act
from apps.incidents.errors import UnacceptableIncident
from apps.incidents.listing import members_seen
from apps.incidents.models import Incident
from apps.incidents.querysets import MemberQuerySet
from apps.incidents.seeing import hides_check, incidents_seen
from apps.incidents.words import Verdict
from apps.plans import operations as plans
from apps.plans.cases.targets import FIRST_BAD, before_bad
from apps.plans.models import Plan
from apps.plans.operations import Picked

ROLLBACK = "rollback"


def plan(
    *,
    act: Act,
    incident_id: str,
    kind: str,
    params: Mapping[str, Any],
    targets: Mapping[str, int] | None = None,
) -> Plan:
    """Plan an act on all sessions that are in an incident, and that whoever acts sees.

    A rollback for which no rule is given goes back before the first bad version that
    the incident's check has found.

    Raises: IncidentNotFound, UnacceptableIncident, and what `plans.make` raises.
    """
    incident = incidents_seen(act.scope).one(incident_id)
    members = members_seen(incident, act.scope).still_in().newest_first()
    ids = list(members.values_list("session_id", flat=True))
    if not ids:
        raise UnacceptableIncident("There is no session in this incident.")
    given, chosen = dict(params), dict(targets or {})
    if kind == ROLLBACK and "rule" not in given:
        given["rule"], chosen = FIRST_BAD, _before_first_bad(incident, members)
    picked = Picked(session_ids=ids, targets=chosen, incident_id=incident.id)
    return plans.make(act=act, kind=kind, picked=picked, params=given)


def _before_first_bad(incident: Incident, members: MemberQuerySet) -> dict[str, int]:
    """Return the versions before those that the incident's check has found.

    Raises: UnacceptableIncident where that would tell what masks cover, or nothing was
    looked for.
    """
    if incident.check_text is None or hides_check(incident.check_text):
        raise UnacceptableIncident(
            "This incident has found no first bad version: name a target.",
            param="target",
        )
    bad = members.filter(verdict=Verdict.BAD, bad_number__isnull=False)
    found = {}
    for id, where, number in bad.values_list(
        "session_id", "bad_session_id", "bad_number"
    ):
        place = None if where is None or number is None else (where, number)
        target = before_bad(id, place)
        if isinstance(target, int):
            found[id] = target
    return found
