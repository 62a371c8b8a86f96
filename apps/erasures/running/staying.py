"""What an erasure cannot take, counted, so that no certificate says more than is so."""

from __future__ import annotations

from collections.abc import Sequence

from apps.core import sql
from apps.erasures.subjects import Subject
from apps.memory.models import Memory

# Their leaves cover what they say: emptied, the project's chain would not hold.
_FROM_BEFORE = sql.of_session("""
SELECT count(*) AS n FROM audit_auditrecord r
 WHERE r.stream_id = %(project)s AND r.format = 1 AND r.details <> '{}'
   AND (r.resource_id = ANY(%(sessions)s)
        OR r.details ->> 'session_id' = ANY(%(sessions)s))
""")


def staying(subject: Subject, history_ids: Sequence[str]) -> dict[str, int]:
    """Return how many details and memories stay, by what they are.

    Records of people's acts from before their details could be erased, and memories
    that these sessions taught an agent or the project, which are others' by now.
    """
    asked = {"project": subject.project.id, "sessions": list(history_ids)}
    taught = Memory.objects.of_project(subject.project.id).filter(
        taught_by__overlap=list(history_ids)
    )
    return {
        "record_details_from_before": int(sql.rows(_FROM_BEFORE, asked)[0].n),
        "memories_of_others": taught.exclude(document_id__in=history_ids).count(),
    }
