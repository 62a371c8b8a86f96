"""Recording what was done, and checking the record.

`record` and `record_act` have no transaction of their own: they refuse to run
outside the transaction of the act, because a record of something that was then
rolled back is a lie. The ledger's SQL functions insert their events themselves.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any

from django.db import connection

from apps.audit import chain
from apps.audit.actions import Action
from apps.audit.covered import ROW
from apps.audit.models import AuditRecord, Event, Outbox
from apps.audit.querysets import AuditRecordQuerySet
from apps.core.errors import NotFound
from apps.core.ids import new_id
from apps.core.json import cleaned
from apps.core.provenance import Provenance

# The chain and stream of acts that belong to no project, such as making a user.
INSTALLATION = "installation"
EMPTY: Mapping[str, Any] = MappingProxyType({})
# Records that are read by one statement.
AT_ONCE = 1_000


def record(
    *,
    stream_id: str,
    project_id: str,
    action: Action,
    resource_type: str,
    resource_id: str,
    act: Provenance,
    details: Mapping[str, Any],
    number: int | None = None,
) -> Event:
    """Write the event of one act, within the act's transaction.

    Raises: RuntimeError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("An act and its record belong into one transaction.")
    event = Event.objects.create(
        stream_id=stream_id,
        # Before what the ledger writes at this moment: an agent, then its session.
        id=new_id("trace", now=act.now, sequence=0),
        project_id=project_id,
        action=action.value,
        resource_type=resource_type,
        resource_id=resource_id,
        number=number,
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        details=cleaned(dict(details)),
        request_id=act.request.id,
        created_at=act.now,
    )
    Outbox.objects.create(stream_id=stream_id, event_id=event.id, at=act.now)
    return event


def record_act(
    *,
    stream_id: str,
    project_id: str,
    action: Action,
    resource_type: str,
    resource_id: str,
    act: Provenance,
    details: Mapping[str, Any],
    number: int | None = None,
) -> AuditRecord:
    """Write the event of an act and its chained record.

    What `details` have of a covered row (`covered.Row.details`) the record alone keeps.

    Call it last: the project's chain stays locked until the transaction ends, and
    whoever takes further locks after it can deadlock with the next act.

    Raises: RuntimeError outside a transaction.
    """
    event = record(
        stream_id=stream_id,
        project_id=project_id,
        action=action,
        resource_type=resource_type,
        resource_id=resource_id,
        act=act,
        details={key: told for key, told in details.items() if key != ROW},
        number=number,
    )
    kept = {ROW: details[ROW]} if ROW in details else {}
    return append_record(event=event, kept=kept)


def record_for(
    *,
    act: Provenance,
    stream_id: str,
    project_id: str,
    action: Action,
    resource_type: str,
    resource_id: str,
    details: Mapping[str, Any],
    number: int | None = None,
) -> None:
    """Write the event of an act, chained as well unless an agent does it.

    Call it last, for the reason that `record_act` gives.

    Raises: RuntimeError outside a transaction.
    """
    records = record if act.actor.is_agent else record_act
    records(
        stream_id=stream_id,
        project_id=project_id,
        action=action,
        resource_type=resource_type,
        resource_id=resource_id,
        act=act,
        details=details,
        number=number,
    )


def append_record(*, event: Event, kept: Mapping[str, Any] = EMPTY) -> AuditRecord:
    """Chain an event that is already written, e.g. by one of the ledger's functions.

    The record keeps the event's details, and what is `kept` in it alone.

    Raises: RuntimeError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("An act and its record belong into one transaction.")
    _lock_chain(event.project_id)
    last = AuditRecord.objects.for_project(event.project_id).newest_first().first()
    entry = AuditRecord(
        project_id=event.project_id,
        number=last.number + 1 if last else 1,
        event_id=event.id,
        action=event.action,
        resource_type=event.resource_type,
        resource_id=event.resource_id,
        actor_kind=event.actor_kind,
        actor_id=event.actor_id,
        actor_label=event.actor_label,
        details={**event.details, **kept},
        created_at=event.created_at,
    )
    entry.leaf = chain.leaf(entry)
    previous = bytes(last.chain) if last else chain.START
    entry.chain = chain.link(previous, entry.number, entry.leaf)
    entry.save(force_insert=True)
    return entry


def verify_records(
    *, project_id: str, after: int = 0, limit: int | None = None
) -> chain.Verification:
    """Recompute a project's chain from its rows and say where it breaks, if it does.

    In pieces, if asked: `limit` records after number `after`, from the link that is
    stored there, which the piece before has recomputed.

    Raises: NotFound where there is no record `after`.
    """
    records = AuditRecord.objects.for_project(project_id).oldest_first()
    begins = chain.START
    if after:
        last = records.filter(number=after).first()
        if last is None:
            raise NotFound(f"There is no record {after}.")
        begins = bytes(last.chain)
    piece = islice(_onwards(records, after), limit)
    return chain.verify(piece, count=after, chain=begins)


def _onwards(records: AuditRecordQuerySet, after: int) -> Iterator[AuditRecord]:
    """Yield the records behind a number, page by page.

    A cursor would live on the server, where a pooler may hand its connection on.
    """
    while True:
        page = list(records.from_number(after + 1)[:AT_ONCE])
        yield from page
        if len(page) < AT_ONCE:
            return
        after = page[-1].number


def _lock_chain(project_id: str) -> None:
    # An advisory lock, because a project's first record has no row to lock, and a
    # retry after a unique violation would need a savepoint inside the caller's act.
    # Two projects whose hashes collide wait for each other: slower, never wrong.
    # The statement after it takes a new snapshot (READ COMMITTED) and so sees the
    # record of whoever held the lock before.
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))",
            [f"audit_auditrecord:{project_id}"],
        )
