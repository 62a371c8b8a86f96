"""What is told of previews and erasures outside."""

from __future__ import annotations

from typing import Any

from apps.core.time.moments import utc_text
from apps.erasures.journal import opened_certificate
from apps.erasures.models import Erasure, Preview
from apps.erasures.operations import PREVIEW_COUNTS
from apps.erasures.words import Kind


def preview_object(preview: Preview) -> dict[str, Any]:
    is_user = preview.kind == Kind.USER
    return {
        "object": "erasure_preview",
        "id": preview.id,
        "user_id": (preview.value or None) if is_user else None,
        "session_id": None if is_user else preview.value or None,
        "created_at": utc_text(preview.created_at),
        "usable_until": utc_text(preview.created_at + PREVIEW_COUNTS),
        **preview.counts,
        "rows": _rows(preview.counts["rows"]),
    }


def erasure_object(erasure: Erasure) -> dict[str, Any]:
    """Return an erasure with its certificate, once there is one."""
    certificate = None
    if erasure.entry is not None:
        certificate = bytes(erasure.entry).decode()
    return listed_erasure(erasure) | {"certificate": certificate}


def listed_erasure(erasure: Erasure) -> dict[str, Any]:
    return {
        "object": "erasure",
        "id": erasure.id,
        "preview_id": erasure.preview_id,
        "kind": erasure.kind,
        "state": erasure.state,
        "held": erasure.is_held and not erasure.is_done,
        "reason": erasure.reason,
        "asked_by": erasure.asked_by_label,
        "data_points_deleted": sum(erasure.counts.values()),
        "rows": _rows(erasure.counts),
        "started_at": utc_text(erasure.started_at),
        "deleted_at": utc_text(erasure.ended_at),
    }


def certified(erasure: Erasure) -> dict[str, Any] | None:
    """Return what the certificate says; None as long as there is none."""
    if erasure.entry is None:
        return None
    return opened_certificate(bytes(erasure.entry)).certificate


def _rows(counts: dict[str, int]) -> list[dict[str, Any]]:
    return [{"what": what, "rows": n} for what, n in sorted(counts.items())]
