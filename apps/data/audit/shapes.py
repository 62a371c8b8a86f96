"""What is told of an agent's audit outside, in every spelling that clients read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.audit.models import AuditRecord
from apps.audit.streams import Result
from apps.core.time.moments import utc_text
from apps.data.audit.trail import LinkedRecord, audit_id
from apps.data.audit.verifying import FirstInvalid, StreamVerification
from apps.data.models import Export


@dataclass(frozen=True, slots=True)
class MadeExport:
    """An export, and the event that it would go on with if it were not full."""

    export: Export
    following: str | None


def event_object(linked: LinkedRecord) -> dict[str, Any]:
    """Return an event; `previous_hash` is null for the first of the chain."""
    record = linked.record
    id, at, link = (
        audit_id(record.event_id),
        utc_text(record.created_at),
        _hex(record.chain),
    )
    return {
        "object": "audit_event",
        "id": id,
        "entry_id": id,
        "agent_id": record.stream_id,
        "number": record.number,
        "operation": record.action,
        "event_type": record.action,
        "action": record.action,
        "resource_type": record.resource_type,
        "resource": record.resource_id,
        "resource_digest": _hex(record.resource_digest),
        "result": record.result,
        "blocked_by": record.rule if record.result == Result.BLOCKED else None,
        "version": record.version,
        "actor": _actor_object(record),
        "timestamp": at,
        "created_at": at,
        "leaf": _hex(record.leaf),
        "hash": link,
        "entry_hash": link,
        "previous_hash": _hex(linked.previous),
        "metadata": record.details,
        "data": record.details,
    }


def verification_object(found: StreamVerification, *, now: datetime) -> dict[str, Any]:
    """Return what was recomputed of a chain, and the first event that fails."""
    first, last = found.first, found.last
    return {
        "object": "audit_verification",
        "valid": found.is_valid,
        "chain_intact": found.is_intact,
        "events_checked": found.count,
        "chain_start": _hex(first.chain) if first else None,
        "chain_end": _hex(last.chain) if last else None,
        "verified_at": utc_text(now),
        "time_range": {
            "start": utc_text(first.created_at) if first else None,
            "end": utc_text(last.created_at) if last else None,
        },
        "first_invalid": _invalid_object(found.invalid) if found.invalid else None,
        "signatures": {
            "status": found.signatures.status,
            "message": found.signatures.message,
        },
        "has_more": found.following is not None,
        "next_start": found.following,
    }


def export_object(made: MadeExport, url: str) -> dict[str, Any]:
    """Return an export, whose file is at `url` for a while."""
    export = made.export
    return {
        "object": "audit_export",
        "id": export.id,
        "export_id": export.id,
        "agent_id": export.stream_id,
        "format": export.format,
        "download_url": url,
        "created_at": utc_text(export.created_at),
        "expires_at": utc_text(export.expires_at),
        "event_count": export.event_count,
        "from_number": export.from_number,
        "to_number": export.to_number,
        "chain_end": _hex(export.chain_end),
        "has_more": made.following is not None,
        "next_start": made.following,
        "verification": export.verification,
    }


def _invalid_object(invalid: FirstInvalid) -> dict[str, Any]:
    return {
        "id": audit_id(invalid.record.event_id),
        "number": invalid.record.number,
        "timestamp": utc_text(invalid.record.created_at),
        "expected_previous_hash": _hex(invalid.expected),
        "actual_previous_hash": _hex(invalid.builds_on),
        "message": invalid.sentence,
    }


def _actor_object(record: AuditRecord) -> dict[str, str]:
    return {
        "kind": record.actor_kind,
        "id": record.actor_id,
        "label": record.actor_label,
    }


def _hex(value: bytes | memoryview | None) -> str | None:
    return None if value is None else bytes(value).hex()
