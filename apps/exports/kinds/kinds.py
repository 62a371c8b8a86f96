"""What makes each kind of export, and what its file is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from apps.exports.kinds import audit, person, session, trajectories
from apps.exports.kinds.made import Made
from apps.exports.models import Export
from apps.exports.words import AuditFormat, Kind

STEPS: Mapping[str, Callable[[Export], Made]] = {
    Kind.TRAJECTORIES: trajectories.step,
    Kind.AUDIT: audit.step,
    Kind.SESSION: session.step,
    Kind.PERSON: person.step,
}


@dataclass(frozen=True, slots=True)
class FileFormat:
    """How a file is named and sent."""

    suffix: str
    media_type: str


LINES = FileFormat("jsonl", "application/x-ndjson")
TABLE = FileFormat("csv", "text/csv; charset=utf-8")
ARCHIVE = FileFormat("zip", "application/zip")
FORMATS = (LINES, TABLE, ARCHIVE)
PACKED = frozenset({Kind.SESSION, Kind.PERSON})


def format_of(export: Export) -> FileFormat:
    """Return what an export's file is."""
    if export.kind in PACKED:
        return ARCHIVE
    return TABLE if export.asked.get("format") == AuditFormat.CSV else LINES
