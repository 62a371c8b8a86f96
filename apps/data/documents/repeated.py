"""What a write is answered that was stored before: as it was decided about then.

The config, the floor and the exceptions of today have no say in it. What was stored
stands in the versions, what was left out in the records that follow theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from apps.agents.acts import Act
from apps.audit.models import AuditRecord
from apps.audit.streams import Result
from apps.data.documents.enforcing import BY_FLOOR, FLOOR
from apps.data.documents.values import NewValue, Passage, WriteResult, kept_in
from apps.data.policies import Also, Block, Rule
from apps.data.policies.words import LIMITS, block_message
from apps.timeline import queries
from apps.timeline.operations import Document, Written
from apps.timeline.queries import PastEntry

THEN = "It was blocked by {policy} when it was first sent."


def results_before(
    document: Document, items: Sequence[NewValue], written: Written
) -> dict[int, WriteResult]:
    """Return what became of these values when they were sent first, by their place.

    What is nowhere is left out: then nothing is known of it.
    """
    rows = queries.entries_of(document.id, written.first_number, written.number)
    for number in {*range(written.first_number, written.number + 1)} - {
        one.number for one in rows
    }:
        queries.require_whole(document.id, number)
    records = {one.event_id: one for one in _records(document, rows)}
    results = _stored(document, items, rows, records)
    left_out = [place for place in range(len(items)) if place not in results]
    last = records.get(rows[-1].trace_id) if rows else None
    blocked = [] if last is None else _blocked(document, last, len(left_out))
    if len(blocked) == len(left_out):
        for place, record in zip(left_out, blocked, strict=True):
            results[place] = WriteResult(
                key=items[place].key,
                event_id=record.event_id,
                created_at=record.created_at,
                block=_block(record),
            )
    return results


def is_over(document: Document, written: Written, act: Act) -> bool:
    """Say whether what an act without a key repeats has ended: its time was over.

    To answer that it is stored would not be true any more.
    """
    if not written.is_replay or act.request.key is not None:
        return False
    rows = queries.entries_of(document.id, written.first_number, written.number)
    return any(one.expires_at and one.expires_at <= act.now for one in rows)


def as_another(act: Act, written: Written) -> Act:
    """Return the act as another than that which stored this.

    Where the answer of that one is lost as well, its repetition is stored once more.
    """
    said = b"%s:%d" % (act.request.digest, written.number)
    request = replace(act.request, digest=sha256(said).digest())
    return replace(act, request=request)


def _stored(
    document: Document,
    items: Sequence[NewValue],
    rows: Sequence[PastEntry],
    records: Mapping[str, AuditRecord],
) -> dict[int, WriteResult]:
    """Return what is stored: the values that the versions show, in their order."""
    bodies = queries.contents(document.id, rows)
    left = [(row, kept_in(bodies[row.body_number or 0])) for row in rows]
    results: dict[int, WriteResult] = {}
    for place, item in enumerate(items):
        if not left:
            break
        row, body = left[0]
        is_it = (row.key, body["value"]) == (item.key, item.value)
        if is_it and body["metadata"] == dict(item.metadata):
            left.pop(0)
            record = records.get(row.trace_id)
            results[place] = WriteResult(
                key=row.key,
                event_id=row.trace_id,
                ordinal=row.ordinal,
                number=row.number,
                created_at=row.created_at,
                expires_at=row.expires_at,
                passage=None if record is None else _passage(record.details),
            )
    return results


def _records(document: Document, rows: Sequence[PastEntry]) -> list[AuditRecord]:
    stream = AuditRecord.objects.for_stream(document.stream_id)
    return list(stream.filter(event_id__in=[row.trace_id for row in rows]))


def _blocked(document: Document, last: AuditRecord, most: int) -> list[AuditRecord]:
    """Return the records of what the act left out: they follow the last of the rest."""
    stream = AuditRecord.objects.for_stream(document.stream_id)
    behind = stream.filter(number__gt=last.number, number__lte=last.number + most)
    return [
        one
        for one in behind.oldest_first()
        if (one.result, one.created_at) == (Result.BLOCKED, last.created_at)
    ]


def _block(record: AuditRecord) -> Block:
    seen, rule = record.details, Rule(str(record.rule))
    is_by_floor = seen.get("by") == FLOOR
    message = _message(rule, seen)
    return Block(
        rule=rule,
        kind=seen["kind"],
        place=seen["place"],
        masked=seen["masked"],
        message=f"{message} {BY_FLOOR}" if is_by_floor else message,
        is_by_floor=is_by_floor,
        also=tuple(
            Also(**(one | {"rule": Rule(one["rule"])})) for one in seen.get("also", ())
        ),
    )


def _message(rule: Rule, seen: Mapping[str, Any]) -> str:
    """Return why; of what was counted the number then is not kept."""
    if rule in (Rule.DENIED_PREFIXES, Rule.ALLOWED_PREFIXES):
        return LIMITS[rule]
    if rule in (Rule.VALUE_SIZE, Rule.MOST_KEYS):
        return THEN.format(policy=rule.removeprefix("policy:"))
    return block_message(rule, seen["place"], seen["kind"])


def _passage(details: Mapping[str, Any]) -> Passage | None:
    """Return by what a policy was passed, as its record says it."""
    if "exceptions" in details:
        return Passage(exceptions=tuple(details["exceptions"]))
    told = details.get("override")
    if told is None:
        return None
    block = Block(
        rule=Rule(told["rule"]),
        kind=told["kind"],
        place=told["place"],
        masked=told["masked"],
        message="",
        is_by_floor=told["floor"],
    )
    return Passage(overridden=block, reason=told["reason"])
