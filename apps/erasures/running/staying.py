"""What an erasure cannot take, counted, so that no certificate says more than is so."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from apps.backups.models import Backup
from apps.backups.rotation import LONGEST
from apps.core import sql
from apps.core.time.moments import utc_text
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


def known_backups() -> list[dict[str, str | None]]:
    """Return the daily backups that there are, and until when the rotation keeps each.

    Of those that somebody made by hand nothing here knows, and those of a place that
    the settings named before, no rotation deletes.
    """
    return [
        {
            "name": one.name,
            "made_at": utc_text(one.made_at),
            "until": utc_text(one.made_at + LONGEST)
            if one.place == settings.BACKUPS
            else None,
        }
        for one in Backup.objects.kept()
    ]
