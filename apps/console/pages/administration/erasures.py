"""What the pages of erasures show: what would go, how far one is, its certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from apps.accounts.models import Project
from apps.core import json
from apps.erasures.models import Erasure, Preview
from apps.erasures.operations import PREVIEW_COUNTS
from apps.erasures.shapes import certified, erasure_object, progress

SHOWN = 50
# Rows by the names that previews and certificates give them, for people.
NAMES = {
    "versions": "versions",
    "turns": "turns",
    "rows": "rows beside them: bodies, changes, words, notes, labels, effects",
    "approvals": "approvals and votes",
    "memories": "memories",
    "context_reads": "notes of which memories were given",
    "forming_turns": "turns that were to form memories",
    "vectors": "vectors of meaning",
    "plan_items": "items of plans",
    "incident_members": "sessions of incidents",
    "incident_entries": "acts on incidents that name a session",
    "incident_searches": "searches of incidents",
    "incident_titles": "titles of incidents",
    "incident_checks": "checks of incidents",
    "experiment_variants": "forks in experiments",
    "experiments": "experiments with its forks",
    "experiment_names": "names of experiments",
    "experiment_checks": "checks of experiments",
    "survey_sessions": "sessions of surveys",
    "survey_searches": "searches of surveys",
    "survey_checks": "checks of surveys",
    "incident_notes": "notes on incidents",
    "plan_checks": "checks of plans that name the person",
    "searches": "searches of plans that name the person",
    "uses_of_files": "files and results that versions name",
    "files": "files that nobody else names",
    "messages": "messages that were sent or wait",
    "deliveries": "deliveries of webhooks",
    "watches": "watches",
    "events": "events",
    "records": "records of memories",
    "request_keys": "answers kept for repeated requests",
    "record_details": "details of records of people's acts",
    "event_details": "details of the project's events",
}
STAYING = {
    "record_details_from_before": "details of records from before format 3",
    "memories_of_others": "memories that agents or the project were taught",
}


def erasures(project: Project) -> dict[str, Any]:
    """Return the newest erasures."""
    found = Erasure.objects.of_project(project.id).newest_first()
    rows = list(found[: SHOWN + 1])
    return {
        "erasures": [(one, sum(one.counts.values())) for one in rows[:SHOWN]],
        "has_more": len(rows) > SHOWN,
        "most": SHOWN,
    }


def preview_shown(preview: Preview, *, now: datetime) -> dict[str, Any]:
    """Return what a preview counted, and whether it can be begun with it."""
    begun = Erasure.objects.of_project(preview.project_id)
    return {
        "preview": preview,
        "counts": preview.counts,
        "rows": in_words(preview.counts["rows"], NAMES),
        "begun": begun.filter(preview_id=preview.id).first(),
        "is_stale": preview.created_at < now - PREVIEW_COUNTS,
    }


def erasure_shown(erasure: Erasure) -> dict[str, Any]:
    """Return how far an erasure is and, once it is over, what is certified."""
    found, gone = progress(erasure)
    said = certified(erasure)
    return {
        "erasure": erasure,
        "rows": in_words(erasure.counts, NAMES),
        "total": sum(erasure.counts.values()),
        "found": found,
        "gone": gone,
        "said": said,
        "staying": in_words(said["staying"], STAYING) if said else [],
        "text": bytes(erasure.entry or b"").decode() if said else "",
    }


def certificate_json(erasure: Erasure) -> bytes:
    """Return an erasure as the API answers it, with the signed certificate in it."""
    return bytes(json.dumps(erasure_object(erasure)))


def in_words(
    counts: Mapping[str, int], names: Mapping[str, str]
) -> Sequence[tuple[str, int]]:
    """Return counts by what they are of, the most first, without those of nothing."""
    found = [(names.get(what, what), n) for what, n in counts.items() if n]
    return sorted(found, key=lambda one: (-one[1], one[0]))
