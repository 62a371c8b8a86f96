"""Questions about an agent's stream: pages of it, one event, where a time begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.audit.models import AuditRecord
from apps.audit.querysets import AuditRecordQuerySet
from apps.core.errors import InvalidRequest, NotFound

# Records made at one time may have taken the chain in another order.
NEARBY = 1_000
# What filters find is counted so far: an answer does not wait for more.
COUNTED = 10_000
_AUDIT_ID = re.compile(r"aud_([0-9a-z]{26})", re.ASCII)
Start = datetime | str


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditFilter:
    """Which events are asked for; None leaves a clause out."""

    operations: Sequence[str] | None = None
    start: datetime | None = None
    end: datetime | None = None

    @property
    def is_empty(self) -> bool:
        return self == AuditFilter()


@dataclass(frozen=True, slots=True)
class LinkedRecord:
    """A record with the link that it goes on from; None before the first."""

    record: AuditRecord
    previous: bytes | None


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditPage:
    """Events, newest first, how many there are, and the ends of the whole chain."""

    events: Sequence[LinkedRecord]
    total: int | None
    chain_start: bytes | None
    chain_end: bytes | None


def audit_id(event_id: str) -> str:
    """Return the id by which the agent's audit knows an event outside."""
    return f"aud_{event_id.partition('_')[2]}"


def stream_of(agent_id: str) -> AuditRecordQuerySet:
    """Return the records of an agent."""
    return AuditRecord.objects.for_stream(agent_id)


def find(
    agent_id: str, wanted: AuditFilter, *, before: int | None, offset: int, limit: int
) -> AuditPage:
    """Return up to `limit` + 1 events below the number `before`, past `offset`."""
    stream = stream_of(agent_id)
    first, last = stream.filter(number=1).first(), stream.newest_first().first()
    matching = stream.within(wanted.start, wanted.end)
    if wanted.operations is not None:
        matching = matching.with_action(wanted.operations)
    page = matching.before(before).newest_first()[offset : offset + limit + 1]
    return AuditPage(
        events=linked(agent_id, list(page)),
        # Numbers have no gaps: of all events nobody has to count them.
        total=_number(last) if wanted.is_empty else _counted(matching),
        chain_start=bytes(first.chain) if first else None,
        chain_end=bytes(last.chain) if last else None,
    )


def event(agent_id: str, reference: str) -> LinkedRecord:
    """Return the event of this id.

    Raises: NotFound.
    """
    found = named(agent_id, reference)
    if found is None:
        raise NotFound("This agent has no such audit event.")
    return linked(agent_id, [found])[0]


def linked(agent_id: str, records: Sequence[AuditRecord]) -> list[LinkedRecord]:
    """Return records, each with the link before it, read in one statement."""
    known = {one.number: bytes(one.chain) for one in records}
    missing = {number - 1 for number in known} - known.keys() - {0}
    before = stream_of(agent_id).filter(number__in=missing)
    known |= {
        number: bytes(chain) for number, chain in before.values_list("number", "chain")
    }
    return [LinkedRecord(one, known.get(one.number - 1)) for one in records]


def first_number(agent_id: str, start: Start | None) -> int:
    """Return the number of the first event from an event, or a time, on.

    Where there is none from then on it is the number that the next one will have.

    Raises: InvalidRequest for an event that the agent does not have.
    """
    if start is None:
        return 1
    if isinstance(start, str):
        found = named(agent_id, start)
        if found is None:
            raise InvalidRequest("start names no event of this agent.", param="start")
        return found.number
    near = stream_of(agent_id).within(start, None).order_by("event_id")
    numbers = near.values_list("number", flat=True)[:NEARBY]
    return min(numbers, default=last_number(agent_id) + 1)


def last_number(agent_id: str, end: datetime | None = None) -> int:
    """Return the number of the last event before a time; 0 where there is none."""
    stream = stream_of(agent_id)
    if end is None:
        return _number(stream.newest_first().first())
    near = stream.within(None, end).order_by("-event_id")
    return max(near.values_list("number", flat=True)[:NEARBY], default=0)


def named(agent_id: str, reference: str) -> AuditRecord | None:
    """Return the agent's event of this id, if there is one."""
    found = _AUDIT_ID.fullmatch(reference)
    if found is None:
        return None
    return stream_of(agent_id).filter(event_id=f"trace_{found[1]}").first()


def _counted(matching: AuditRecordQuerySet) -> int | None:
    """Return how many there are, None for more than are counted."""
    found = matching.order_by()[: COUNTED + 1].count()
    return found if found <= COUNTED else None


def _number(record: AuditRecord | None) -> int:
    return record.number if record else 0
