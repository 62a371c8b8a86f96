"""Lists as files: CSV that no spreadsheet runs, and JSON."""

import csv
import io
from collections.abc import Iterable, Sequence

from django.http import HttpResponse

from apps.core import json
from apps.core.http.spreadsheets import FILE_HEADERS, cell


def csv_file(
    name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> HttpResponse:
    """Answer a CSV file (RFC 4180, UTF-8)."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([cell(value) for value in row] for row in rows)
    return _file(f"{name}.csv", "text/csv; charset=utf-8", text.getvalue().encode())


def json_file(name: str, value: object) -> HttpResponse:
    """Answer a JSON file."""
    return _file(f"{name}.json", "application/json", json.dumps(value))


def _file(name: str, content_type: str, content: bytes) -> HttpResponse:
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(
        content, content_type=content_type, headers=FILE_HEADERS | disposition
    )
