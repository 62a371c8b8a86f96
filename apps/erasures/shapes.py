"""What is told of previews and erasures outside."""

from __future__ import annotations

from typing import Any

from apps.core.time.moments import utc_text
from apps.erasures.journal import read_entry
from apps.erasures.models import Erasure, Preview, Target
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
    """Return an erasure with how far it is and, once it is done, its certificate."""
    certificate = None
    if erasure.is_done and erasure.entry is not None:
        certificate = bytes(erasure.entry).decode()
    found, gone = progress(erasure)
    return listed_erasure(erasure) | {
        "histories": found,
        "histories_gone": gone,
        "certificate": certificate,
    }


def progress(erasure: Erasure) -> tuple[int | None, int | None]:
    """Return how many histories are to go and are gone; None before any was noted."""
    said = certified(erasure)
    if said is not None:
        return len(said["histories"]), len(said["histories"])
    noted = Target.objects.of(erasure.id)
    count = noted.count()
    return (count, count - noted.to_remove().count()) if count else (None, None)


def listed_erasure(erasure: Erasure) -> dict[str, Any]:
    return {
        "object": "erasure",
        "id": erasure.id,
        "preview_id": erasure.preview_id,
        "kind": erasure.kind,
        "state": erasure.state,
        "waits_for": erasure.waits_for or None,
        "reason": erasure.reason,
        "asked_by": erasure.asked_by_label,
        "data_points_deleted": sum(erasure.counts.values()),
        "rows": _rows(erasure.counts),
        "started_at": utc_text(erasure.started_at),
        "deleted_at": utc_text(erasure.ended_at),
    }


def certified(erasure: Erasure) -> dict[str, Any] | None:
    """Return what the certificate says; None as long as there is none.

    It is shown whoever signed it: one from before there was a key is signed by nobody.
    """
    if erasure.entry is None or not erasure.is_done:
        return None
    return read_entry(bytes(erasure.entry)).certificate


def _rows(counts: dict[str, int]) -> list[dict[str, Any]]:
    return [{"what": what, "rows": n} for what, n in sorted(counts.items())]
