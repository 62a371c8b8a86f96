"""Recording what was done, and checking the record.

`record` and `record_act` have no transaction of their own: they refuse to run
outside the transaction of the act, because a record of something that was then
rolled back is a lie. The ledger's SQL functions insert their events themselves.
"""

import secrets
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any

from django.db import connection

from apps.audit import chain, streams
from apps.audit.actions import Action
from apps.audit.covered import ROW
from apps.audit.models import AuditRecord, Event
from apps.audit.querysets import AuditRecordQuerySet
from apps.audit.streams import Result, StreamRecord
from apps.core import json, sql
from apps.core.errors import NotFound
from apps.core.ids import new_id
from apps.core.provenance import Provenance

# The chain and stream of acts that belong to no project, such as making a user.
INSTALLATION = "installation"
EMPTY: Mapping[str, Any] = MappingProxyType({})
# Records that are read by one statement.
AT_ONCE = 1_000
# One statement is a transaction of its own: a read waits for one round trip, not four.
_APPEND_ALONE = sql.PreparedQuery(
    sql.of_session(
        "SELECT set_config('synchronous_commit', 'off', true),"
        f" {streams.APPEND} AS number"
    ),
    streams.NULLS,
)
_EVENT = sql.of_session(sql.query("audit", "event"))
_OUTBOX = sql.of_session(sql.query("audit", "outbox"))
_APPEND = sql.of_session(f"SELECT {streams.APPEND} AS number")


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
    event = Event(
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
        details=json.cleaned(dict(details)),
        request_id=act.request.id,
        created_at=act.now,
    )
    written = vars(event) | {"details": json.dumps(event.details).decode()}
    for statement in (_EVENT, _OUTBOX):
        sql.rows(statement, written)
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
    whoever takes further locks after it can deadlock with the next act. The chain of
    an agent's stream alone comes after it (`record_in_stream`).

    Raises: RuntimeError outside a transaction.
    """
    event = record(
        stream_id=stream_id,
        project_id=project_id,
        action=action,
        resource_type=resource_type,
        resource_id=resource_id,
        act=act,
        details=_without_row(details),
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
) -> str:
    """Write the event of an act, chained unless an agent does it; return its id.

    Call it last, for the reason that `record_act` gives.

    Raises: RuntimeError outside a transaction.
    """
    records = record if act.actor.is_agent else record_act
    made = records(
        stream_id=stream_id,
        project_id=project_id,
        action=action,
        resource_type=resource_type,
        resource_id=resource_id,
        act=act,
        details=details,
        number=number,
    )
    return made.id if isinstance(made, Event) else made.event_id


def record_on_agent(
    *,
    agent_id: str,
    project_id: str,
    action: Action,
    act: Provenance,
    details: Mapping[str, Any],
    is_always_chained: bool = False,
) -> None:
    """Write the event of an act on an agent, and its record in the agent's stream.

    In the project's record it is as `record_for` has it, or always. Call it last, for
    the reason that `record_act` gives.

    Raises: RuntimeError outside a transaction.
    """
    records = record_act if is_always_chained else record_for
    recorded = records(
        stream_id=project_id,
        project_id=project_id,
        action=action,
        resource_type="agent",
        resource_id=agent_id,
        act=act,
        details=details,
    )
    made = StreamRecord(
        stream_id=agent_id,
        project_id=project_id,
        event_id=recorded if isinstance(recorded, str) else recorded.event_id,
        action=action.value,
        resource_type="agent",
        resource_id=agent_id,
        result=Result.SUCCESS,
        actor=act.actor,
        now=act.now,
        # What a row was left like is held against it by the project's record.
        details=_without_row(details),
    )
    record_in_stream(record=made)


def append_record(*, event: Event, kept: Mapping[str, Any] = EMPTY) -> AuditRecord:
    """Chain an event that is already written, e.g. by one of the ledger's functions.

    The record keeps the event's details, and what is `kept` in it alone.

    Raises: RuntimeError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("An act and its record belong into one transaction.")
    _lock_chain(event.project_id)
    (last,) = sql.rows(streams.LAST, [event.project_id]) or (None,)
    entry = AuditRecord(
        stream_id=event.project_id,
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
        format=3,
        salt=secrets.token_bytes(streams.SALT_BYTES),
    )
    entry.details_digest = chain.details_digest(bytes(entry.salt or b""), entry.details)
    entry.leaf = chain.erasable_leaf(entry, entry.details_digest)
    previous = last.chain if last else chain.START
    entry.chain = chain.link(previous, entry.number, entry.leaf)
    entry.save(force_insert=True)
    return entry


def record_in_stream(*, record: StreamRecord) -> int:
    """Chain an operation that makes no version, such as a read; return its number.

    Call it last, and after the record of a person's act, if there is one: the chain of
    a project is locked before that of an agent.

    Raises: RuntimeError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("An act and its record belong into one transaction.")
    (appended,) = sql.rows(_APPEND, record.params())
    return int(appended.number)


def record_read(*, record: StreamRecord) -> int:
    """Chain an operation that changes nothing, without waiting for the disk.

    Return its number. A crash can lose the newest of such records. Call it outside a
    transaction: one that it were in would not wait for the disk either.
    """
    (appended,) = sql.run_prepared(_APPEND_ALONE, record.params())
    return int(appended.number)


def verify_records(
    *, stream_id: str, after: int = 0, limit: int | None = None
) -> chain.Verification:
    """Recompute a stream's chain from its rows and say where it breaks, if it does.

    In pieces, if asked: `limit` records after number `after`, from the link that is
    stored there, which the piece before has recomputed.

    Raises: NotFound where there is no record `after`.
    """
    records = AuditRecord.objects.for_stream(stream_id).oldest_first()
    begins = chain.START
    if after:
        last = records.filter(number=after).first()
        if last is None:
            raise NotFound(f"There is no record {after}.")
        begins = bytes(last.chain)
    piece = islice(_onwards(records, after), limit)
    return chain.verify(piece, count=after, chain=begins)


def _without_row(details: Mapping[str, Any]) -> dict[str, Any]:
    return {key: told for key, told in details.items() if key != ROW}


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


def _lock_chain(stream_id: str) -> None:
    # An advisory lock, because a stream's first record has no row to lock, and a
    # retry after a unique violation would need a savepoint inside the caller's act.
    # Two streams whose hashes collide wait for each other: slower, never wrong.
    # The statement after it takes a new snapshot (READ COMMITTED) and so sees the
    # record of whoever held the lock before.
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))",
            [f"audit_auditrecord:{stream_id}"],
        )
