"""The README's figures: a selection of the benchmark table, with every missed limit.

They are read from the table itself, so the README cannot say anything else than it.
"""

import re

# How the chosen rows begin. A row that misses its limit needs no choice.
CHOSEN = (
    "growing chat, 1,000 versions to about 1 MB, all tables and indexes: to Postgres",
    "100,000 versions, 1,000,000 sessions, to 100 and 1,000: append to the long",
)
HEADING = "| what | measured | limit | verdict |\n|---|---|---|---|"
NOTE = re.compile(r" \(\d+\)$")


def headlines(page: str) -> str:
    """Return the chosen rows of a page's table and all missed ones, in its order."""
    lines = [line for line in page.splitlines() if line.count("|") == 8]
    rows = [[cell.strip() for cell in line.split("|")[1:5]] for line in lines[2:]]
    shown = [row for row in rows if _is_missed(row) or row[0].startswith(CHOSEN)]
    return "\n".join([HEADING, *map(_line, shown)]) + "\n"


def _is_missed(row: list[str]) -> bool:
    return row[3].startswith("missed")


def _line(row: list[str]) -> str:
    what, measured, limit, verdict = row
    verdict = f"**{verdict}**" if _is_missed(row) else verdict
    return f"| {NOTE.sub('', what)} | {measured} | {limit} | {verdict} |"
