"""Read what stands under keys, now or at an earlier version, and how it came there."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from psycopg import Connection

from apps.accounts import encryption
from apps.agents.acts import Act
from apps.audit.streams import Operation
from apps.core.ids import new_id
from apps.data.documents.agents import known_document
from apps.data.documents.known import RECORDS, UNKNOWN_CONFIG
from apps.data.documents.values import KeptValue, kept_in
from apps.data.operations.recording import found, record_unless_off, told
from apps.diffs.readers import reader
from apps.timeline import queries
from apps.timeline.errors import KeyNotFound, VersionNotFound
from apps.timeline.operations import Document
from apps.timeline.queries import EntryRow, PastEntry

Row = TypeVar("Row", EntryRow, PastEntry)
# So many keys are counted of a list; more are `most and more`.
MOST_COUNTED = 1_000
# Values that one page shows together: a longer page goes on behind its last key.
PAGE_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class PageAsked:
    """Which keys are asked for: those behind `after`, past `offset`, at a version."""

    limit: int
    prefix: str = ""
    after: str = ""
    offset: int = 0
    at: int | None = None
    is_full: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One value that was read, and the record of that, if there is one."""

    value: KeptValue
    event_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyPage:
    """Keys in their order; `total` is counted to a limit, None at an old version."""

    values: Sequence[KeptValue]
    has_more: bool
    total: int | None
    event_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionPage:
    """What was done to a key, the newest first, with the values that may be shown."""

    entries: Sequence[PastEntry]
    has_more: bool
    event_id: str | None
    bodies: dict[int, dict[str, Any]] = field(default_factory=dict)
    # What was pruned of the key between these, or below the last of them.
    removed: Sequence[dict[str, Any]] = ()


def read_value(*, act: Act, reference: str, key: str, at: int | None = None) -> Reading:
    """Read one key, now or as it was at version `at` of the document.

    Raises: AgentNotFound, KeyNotFound, VersionNotFound, VersionPruned; ContentsErased
    where a removal took what stood there then.
    """
    _, document = found(act, reference)
    if not key:
        raise KeyNotFound(param="key")
    with _whole(document, at):
        row = _row(document, key, at, act.now)
        if row.is_emptied:
            raise queries.value_erased(document.id, row.body_number or 0)
        (value,) = with_values(document, [row])
    about = told(Operation.DATA_READ, key, details={} if at is None else {"at": at})
    return Reading(value=value, event_id=record_unless_off(act, document, about))


def read_value_plainly(
    *, connection: Connection[Any], act: Act, reference: str, key: str
) -> Reading | None:
    """Read one key as it is now, and record it, by one statement on that connection.

    None where anything about it is out of the ordinary: then nothing was recorded, and
    `read_value` finds out what it was.

    Raises: psycopg.Error.
    """
    document = known_document(act.scope, reference)
    if document is None or act.api_key_id is None:
        return None
    # What has to ask for its key first would be recorded twice.
    if not encryption.is_at_hand(act.project):
        return None
    known = RECORDS.get(document.id)
    if known is None:
        return None
    config, is_recorded = known
    event_id = new_id("trace", now=act.now)
    record = document.record(act, told(Operation.DATA_READ, key), event_id)
    found = queries.plain_entry(
        connection,
        document_id=document.id,
        key=key,
        api_key_id=act.api_key_id,
        config=config if is_recorded else UNKNOWN_CONFIG,
        record=record.params(),
    )
    if found is None or found.config != config:
        return None
    value = kept(found.row, kept_in(found.content))
    return Reading(value=value, event_id=event_id if is_recorded else None)


def list_values(*, act: Act, reference: str, asked: PageAsked) -> KeyPage:
    """List keys in the order of their bytes, with their values where that is asked.

    A page with values ends where they are many bytes together.

    Raises: AgentNotFound, VersionNotFound, VersionPruned.
    """
    _, document = found(act, reference)
    with _whole(document, asked.at):
        rows = _rows(document, asked, act.now)
        page, has_more = rows[: asked.limit], len(rows) > asked.limit
        if asked.is_full:
            fitting = _fitting(page)
            page, has_more = fitting, has_more or len(fitting) < len(page)
            values = with_values(document, page)
        else:
            values = [kept(row, {}) for row in page]
    about = told(Operation.DATA_LIST, asked.prefix, details={"count": len(values)})
    return KeyPage(
        values=values,
        has_more=has_more,
        total=_total(document, asked, act.now),
        event_id=record_unless_off(act, document, about),
    )


def read_versions(
    *, act: Act, reference: str, key: str, before: int | None, limit: int
) -> VersionPage:
    """Read what was done to a key, the newest first; values whose time is over are not.

    Raises: AgentNotFound; KeyNotFound where nothing ever stood there.
    """
    _, document = found(act, reference)
    rows = queries.history(document.id, key, before=before, limit=limit + 1)
    if not key or (not rows and before is None):
        raise KeyNotFound(param="key")
    fitting = _fitting(rows[:limit])
    shown = [row for row in fitting if not is_over(row.expires_at, act.now)]
    shown = [row for row in shown if not row.is_emptied]
    return VersionPage(
        entries=fitting,
        has_more=len(rows) > len(fitting),
        bodies=bodies_of(document, shown),
        removed=queries.removed_of_key(
            document.id, fitting, next(iter(rows[len(fitting) :]), None)
        ),
        event_id=record_unless_off(
            act, document, told(Operation.DATA_READ, key, details={"versions": True})
        ),
    )


def require_version(document: Document, number: int, *, now: datetime) -> None:
    """Raises: VersionNotFound for a version that is still to come."""
    standing = queries.standing(document.id, now=now)
    head = 0 if standing is None else standing.number
    if number > head:
        raise VersionNotFound("The data has no such version yet.", head=head)


def is_over(expires_at: datetime | None, now: datetime) -> bool:
    return expires_at is not None and expires_at <= now


def with_values(
    document: Document, rows: Sequence[EntryRow | PastEntry]
) -> list[KeptValue]:
    """Return entries with what stands under them."""
    bodies = bodies_of(document, [row for row in rows if not row.is_emptied])
    return [kept(row, bodies.get(row.body_number or 0, {})) for row in rows]


def bodies_of(
    document: Document, rows: Sequence[EntryRow | PastEntry]
) -> dict[int, dict[str, Any]]:
    """Return what is kept of entries by the number of the body."""
    bodies = queries.contents(document.id, rows)
    return {number: _seen(kept_in(raw)) for number, raw in bodies.items()}


def _whole(document: Document, at: int | None) -> AbstractContextManager[None]:
    """Have what is read at a version be all that stood then; None is now."""
    return nullcontext() if at is None else queries.whole_at(document.id, at)


def _row(
    document: Document, key: str, at: int | None, now: datetime
) -> EntryRow | PastEntry:
    """Raises: KeyNotFound, VersionNotFound."""
    if at is None:
        return queries.entry(document.id, key, now=now)
    require_version(document, at, now=now)
    row = queries.entry_at(document.id, key, at)
    if is_over(row.expires_at, now):
        raise KeyNotFound(param="key")
    return row


def _seen(body: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of an entry as whoever looks may see it."""
    who = reader()
    if who is None:
        return body
    drawn = {name: who.held(body[name]) for name in ("value", "metadata")}
    return {**body, **drawn}


def _rows(document: Document, asked: PageAsked, now: datetime) -> Sequence[EntryRow]:
    about: dict[str, Any] = {
        "prefix": asked.prefix,
        "after": asked.after,
        "limit": asked.limit + 1,
    }
    if asked.at is None:
        about |= {"offset": asked.offset, "now": now}
        return queries.entries(document.id, **about)
    require_version(document, asked.at, now=now)
    return queries.entries_at(document.id, asked.at, moment=now, **about)


def _total(document: Document, asked: PageAsked, now: datetime) -> int | None:
    if asked.at is not None:
        return None
    return queries.count_keys(
        document.id,
        prefix=asked.prefix,
        most=MOST_COUNTED,
        now=now,
    )


def _fitting(rows: Sequence[Row]) -> list[Row]:
    """Return the first of them, as many as go into one page; one in any case."""
    fitting: list[Row] = []
    size = 0
    for row in rows:
        size += row.size
        if fitting and size > PAGE_BYTES:
            break
        fitting.append(row)
    return fitting


def kept(row: EntryRow | PastEntry, body: dict[str, Any]) -> KeptValue:
    updated_at = row.updated_at if isinstance(row, EntryRow) else row.created_at
    return KeptValue(
        key=row.key,
        number=row.number,
        ordinal=row.ordinal,
        size=row.size,
        created_at=row.created_at,
        updated_at=updated_at,
        expires_at=row.expires_at,
        value=body.get("value"),
        metadata=body.get("metadata", {}),
        is_emptied=row.is_emptied,
    )
