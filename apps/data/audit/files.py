"""Write an export of an agent's audit, as it is sent: JSON lines, or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from apps.core import json
from apps.core.http.spreadsheets import cell
from apps.data.audit.shapes import event_object
from apps.data.audit.trail import LinkedRecord, linked, stream_of
from apps.data.models import Export, ExportFormat

# Events that are read by one statement.
AT_ONCE = 1_000
# What is said in two spellings stands in a column of its own once.
COLUMNS = (
    *("number", "id", "agent_id", "timestamp", "operation", "resource_type"),
    *("resource", "resource_digest", "result", "blocked_by", "version"),
    *("actor_kind", "actor_id", "actor_label", "leaf", "hash", "previous_hash"),
    "metadata",
)
TYPES = {
    ExportFormat.JSON: "application/x-ndjson",
    ExportFormat.CSV: "text/csv; charset=utf-8",
}
SUFFIXES = {ExportFormat.JSON: "jsonl", ExportFormat.CSV: "csv"}


def pieces(export: Export) -> Iterator[bytes]:
    """Yield the file, a page of events at a time; nothing of it is kept."""
    if export.format == ExportFormat.CSV:
        yield table_header()
    for page in _pages(export):
        objects = map(event_object, page)
        if export.format == ExportFormat.CSV:
            yield table_rows(objects)
        else:
            yield b"".join(json.splice(one) + b"\n" for one in objects)


def _pages(export: Export) -> Iterator[list[LinkedRecord]]:
    first = export.from_number
    while first <= export.to_number:
        last = min(first + AT_ONCE - 1, export.to_number)
        records = stream_of(export.stream_id).filter(number__range=(first, last))
        yield linked(export.stream_id, list(records.oldest_first()))
        first = last + 1


def table_header() -> bytes:
    return _rows([COLUMNS])


def table_rows(events: Iterable[dict[str, Any]]) -> bytes:
    """Write events as rows of a table."""
    return _rows([_cells(one) for one in events])


def _cells(event: dict[str, Any]) -> list[str]:
    flat = event | {f"actor_{name}": said for name, said in event["actor"].items()}
    flat["metadata"] = json.dumps(event["metadata"]).decode()
    return [cell(flat[name]) for name in COLUMNS]


def _rows(rows: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()
