"""Lists as files: CSV that no spreadsheet runs, and JSON."""

import csv
import io
from collections.abc import Iterable, Sequence

from django.http import HttpResponse

from apps.core import json
from apps.core.http.spreadsheets import FILE_HEADERS, cell


def csv_file(
    name: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    left_out: str | None = None,
) -> HttpResponse:
    """Answer a CSV file (RFC 4180, UTF-8).

    `left_out` says in a last line what the file does not have: one cell behind a #, by
    which none of our tables' rows begins.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([cell(value) for value in row] for row in rows)
    if left_out is not None:
        writer.writerow([f"# Not all: {left_out}"])
    return _file(f"{name}.csv", "text/csv; charset=utf-8", text.getvalue().encode())


def json_file(name: str, value: object) -> HttpResponse:
    """Answer a JSON file."""
    return _file(f"{name}.json", "application/json", json.dumps(value))


def _file(name: str, content_type: str, content: bytes) -> HttpResponse:
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(
        content, content_type=content_type, headers=FILE_HEADERS | disposition
    )
