"""Cells of CSV files that no spreadsheet runs.

A cell that begins like a formula gets an apostrophe, which spreadsheets take as "this
is text"; state is hostile, and a title such as `=HYPERLINK(...)` would otherwise act on
whoever opens the file. What hides or reorders text is made visible.
"""

from apps.diffs.text import visible

# Also the full-width twins, which some spreadsheets take for the same.
FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001
# A file that somebody opens in the browser runs nothing and loads nothing.
FILE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}


def cell(value: object) -> str:
    """Write one cell; numbers stay numbers, text never becomes a formula."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return str(value)
    text = visible(str(value))
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text
