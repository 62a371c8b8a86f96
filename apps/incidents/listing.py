"""The sessions of an incident as they are listed: as collected, and as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.incidents.models import Incident, Member
from apps.incidents.querysets import MemberQuerySet
from apps.timeline.models import Session
from apps.timeline.queries import titles


@dataclass(frozen=True, kw_only=True, slots=True)
class MemberRow:
    """A session of an incident; `session` is None where it is not to be seen now."""

    member: Member
    session: Session | None
    title: str | None


def members_seen(incident: Incident, scope: Scope) -> MemberQuerySet:
    """The sessions of an incident that whoever asks may see, also those taken out."""
    return Member.objects.of_incident(incident.id).seen_by(scope)


def rows_of(act: Act, members: Sequence[Member]) -> list[MemberRow]:
    """Return members with what their sessions are now: as many statements for all."""
    ids = [one.session_id for one in members]
    found = Session.objects.of_project(act.project_id).of_agents(act.scope.agents)
    if act.actor.is_agent:
        found = found.alive(now=act.now)
    known = {one.id: one for one in found.filter(id__in=ids).for_lists()[: len(ids)]}
    named = titles(list(known))
    return [
        MemberRow(
            member=one,
            session=known.get(one.session_id),
            title=named.get(one.session_id),
        )
        for one in members
    ]
