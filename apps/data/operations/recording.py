"""What an act on an agent's data is recorded as, and records of what stores nothing."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.streams import Operation, Result, StreamRecord
from apps.core.ids import new_id
from apps.data.documents import known
from apps.data.documents.agents import agent_named
from apps.data.documents.enforcing import FLOOR, standing_config
from apps.data.policies import Block
from apps.timeline.operations import Document, Told

DATA = "data"
CONFIG = "config"


def found(act: Act, reference: str) -> tuple[Agent, Document]:
    """Return the agent that the caller means, and its document.

    Raises: AgentNotFound.
    """
    agent = agent_named(act.scope, reference)
    return agent, Document.of_agent(act.project, agent.id)


def found_to_write(act: Act, reference: str) -> tuple[Agent, Document]:
    """Return the agent that the caller means, if it may write, and its document.

    The functions of the ledger look again, under the lock; what a policy blocks does
    not come to them.

    Raises: AgentNotFound, AgentSuspended, AgentDeleted.
    """
    agent, document = found(act, reference)
    if act.actor.is_agent:
        agent.require_writing()
    agent.require_kept()
    return agent, document


def told(
    operation: Operation,
    resource_id: str,
    *,
    event: Action | None = None,
    result: Result = Result.SUCCESS,
    resource_type: str = DATA,
    details: Mapping[str, Any] = MappingProxyType({}),
) -> Told:
    """Return what a record says; a key is in its resource alone, which is erasable."""
    return Told(
        operation=operation,
        resource_type=resource_type,
        resource_id=resource_id,
        result=result,
        event=event,
        details=dict(details),
    )


def record_unless_off(act: Act, document: Document, about: Told) -> str | None:
    """Record a read, unless the agent's config says that reads are not recorded."""
    config = standing_config(document, now=act.now)
    is_recorded = config.rules.records_reads
    known.RECORDS.learn(document.id, (config.commitment, is_recorded))
    if not is_recorded:
        return None
    return record_read(act, document, about)


def record_read(act: Act, document: Document, about: Told) -> str:
    """Record what was read, without waiting for the disk; return the record's event."""
    event_id = new_id("trace", now=act.now)
    audit.record_read(record=document.record(act, about, event_id))
    return event_id


def record_block(act: Act, document: Document, block: Block, key: str) -> str:
    """Record a write that a policy has blocked, and return the record's event.

    Neither the value nor a part of it is kept; nor the key, if that is what is not to
    be kept. Its shape is in the agent's own stream alone: events go to whoever follows
    the project.

    Raises: RuntimeError outside a transaction.
    """
    seen = {"kind": block.kind, "place": block.place}
    seen |= {"by": FLOOR} if block.is_by_floor else {}
    event = audit.record(
        stream_id=document.id,
        project_id=act.project_id,
        action=Action.DATA_BLOCKED,
        resource_type=DATA,
        resource_id=document.agent_id,
        act=act,
        details={"rule": str(block.rule), **seen},
    )
    shape: dict[str, Any] = {"masked": block.masked}
    if block.also:
        shape["also"] = [one.told() for one in block.also]
    if block.fingerprint is not None:
        shape["fingerprint"] = block.fingerprint.hex()
    record = StreamRecord(
        stream_id=document.stream_id,
        project_id=act.project_id,
        event_id=event.id,
        action=Operation.DATA_WRITE,
        resource_type=DATA,
        resource_id=key,
        result=Result.BLOCKED,
        rule=str(block.rule),
        actor=act.actor,
        now=act.now,
        details=seen | shape,
    )
    audit.record_in_stream(record=record)
    return event.id
