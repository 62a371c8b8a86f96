"""Lists as files: CSV that no spreadsheet runs, and JSON.

A cell that begins like a formula gets an apostrophe, which spreadsheets take as "this
is text"; state is hostile, and a title such as `=HYPERLINK(...)` would otherwise act on
whoever opens the file. What hides or reorders text is made visible.
"""

import csv
import io
from collections.abc import Iterable, Sequence

from django.http import HttpResponse

from apps.core import json
from apps.diffs.text import visible

# Also the full-width twins, which some spreadsheets take for the same.
FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}


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


def cell(value: object) -> str:
    """Write one cell; numbers stay numbers, text never becomes a formula."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return str(value)
    text = visible(str(value))
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text


def _file(name: str, content_type: str, content: bytes) -> HttpResponse:
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(
        content, content_type=content_type, headers=HEADERS | disposition
    )
