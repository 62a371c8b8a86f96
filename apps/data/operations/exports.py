"""Export a piece of an agent's audit, and open the file by its link."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core import signing
from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import chain
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.streams import Operation, Result, StreamRecord
from apps.core.actors import Actor, ActorKind
from apps.core.ids import new_id
from apps.core.json import cleaned
from apps.data.audit.shapes import MadeExport, verification_object
from apps.data.audit.trail import (
    Start,
    audit_id,
    first_number,
    last_number,
    stream_of,
)
from apps.data.audit.verifying import MOST, verify_numbers
from apps.data.errors import ExportNotFound
from apps.data.models import Export

LINK_LIVES = timedelta(minutes=15)
SALT = "audit export"


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportRequest:
    """Which piece of an audit is wanted, and how."""

    format: str
    start: Start | None = None
    end: datetime | None = None
    is_verified: bool = True


def export_audit(*, act: Act, reference: str, wanted: ExportRequest) -> MadeExport:
    """Freeze a piece of an agent's audit, at most 500,000 events, for a download.

    Events that come later, the export's own among them, are not in it.

    Raises: AgentNotFound; InvalidRequest for a start that the agent does not have.
    """
    agent = Agent.objects.visible_to(act.scope).one_named(reference)
    first = first_number(agent.id, wanted.start)
    end = max(last_number(agent.id, wanted.end), first - 1)
    last = min(end, first + MOST - 1)
    made = _frozen(act, agent.id, wanted, first, last)
    with transaction.atomic():
        made.save(force_insert=True)
        _record(act, agent, made)
    following = stream_of(agent.id).filter(number=last + 1).first()
    if following is None or last == end:
        return MadeExport(made, None)
    return MadeExport(made, audit_id(following.event_id))


def _frozen(
    act: Act, agent_id: str, wanted: ExportRequest, first: int, last: int
) -> Export:
    verification = None
    if wanted.is_verified:
        found = verify_numbers(agent_id, first, last, now=act.now)
        verification = verification_object(found, now=act.now)
    return Export(
        stream_id=agent_id,
        id=new_id("exp", now=act.now),
        project_id=act.project_id,
        format=wanted.format,
        from_number=first,
        to_number=last,
        chain_end=_link_at(agent_id, last),
        verification=verification,
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
        expires_at=act.now + LINK_LIVES,
    )


def link_token(*, export: Export) -> str:
    """Return what opens the export for as long as it is valid."""
    return signing.dumps([export.stream_id, export.id], salt=SALT, compress=False)


def opened_export(*, token: str, now: datetime) -> Export:
    """Return the export that a link opens, and record the download in the stream.

    Whoever has the link acts for who made it.

    Raises: ExportNotFound.
    """
    try:
        stream_id, export_id = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        raise ExportNotFound from None
    found = Export.objects.filter(stream_id=stream_id, id=export_id).first()
    if found is None or found.expires_at <= now:
        raise ExportNotFound
    who = Actor(
        kind=ActorKind(found.actor_kind), id=found.actor_id, label=found.actor_label
    )
    record = StreamRecord(
        stream_id=found.stream_id,
        project_id=found.project_id,
        event_id=new_id("trace", now=now),
        action=Operation.AUDIT_DOWNLOAD,
        resource_type="export",
        resource_id=found.id,
        result=Result.SUCCESS,
        actor=who,
        now=now,
        details=_details(found),
    )
    with transaction.atomic():
        audit.record_in_stream(record=record)
    return found


def _link_at(agent_id: str, number: int) -> bytes:
    record = stream_of(agent_id).filter(number=number).first()
    return bytes(record.chain) if record else chain.START


def _record(act: Act, agent: Agent, made: Export) -> None:
    details = _details(made)
    event_id = audit.record_for(
        stream_id=agent.project_id,
        project_id=agent.project_id,
        action=Action.AUDIT_EXPORTED,
        resource_type="agent",
        resource_id=agent.id,
        act=act,
        details={"agent_id": cleaned(agent.external_id), "export_id": made.id}
        | details,
    )
    record = StreamRecord(
        stream_id=agent.id,
        project_id=agent.project_id,
        event_id=event_id,
        action=Operation.AUDIT_EXPORT,
        resource_type="export",
        resource_id=made.id,
        result=Result.SUCCESS,
        actor=act.actor,
        now=act.now,
        details=details,
    )
    audit.record_in_stream(record=record)


def _details(export: Export) -> dict[str, Any]:
    return {"format": export.format, "events": export.event_count}
