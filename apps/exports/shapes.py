"""What is told of exports outside."""

from __future__ import annotations

from typing import Any

from apps.core.time.moments import utc_text
from apps.exports.asked import ALL
from apps.exports.models import Export


def export_object(export: Export) -> dict[str, Any]:
    return {
        "object": "export",
        "id": export.id,
        "kind": export.kind,
        **{name: export.asked.get(name) for name in ALL},
        "unmasked": bool(export.asked.get("unmasked")),
        "state": export.state,
        "waits_for": export.waits_for or None,
        "rows": export.rows,
        "bytes": export.bytes,
        "sha256": export.sha256 or None,
        "left_out": [
            {"reason": reason, "count": count}
            for reason, count in sorted(export.left_out.items())
        ],
        "verification": export.verified,
        "error": export.error or None,
        "asked_by": export.asked_by_label,
        "created_at": utc_text(export.created_at),
        "ended_at": utc_text(export.ended_at),
        "expires_at": utc_text(export.expires_at),
    }
