"""COPY into the tables of the ledger: rows as text, many at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import connection
from psycopg import sql as pg

from apps.core import json, sql

# In the order of their foreign keys, but for a version and its body, of which one
# is checked at commit.
TABLES = (
    "timeline_session",
    "timeline_version",
    "timeline_body",
    "timeline_change",
    "timeline_term",
    "timeline_open",
    "audit_event",
)
# What COPY's text format would take for something else.
ESCAPED = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})

# All but those that a constraint needs.
INDEXES = """
SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index i
  JOIN pg_class c ON c.oid = i.indexrelid
  JOIN pg_class t ON t.oid = i.indrelid
 WHERE t.relname = ANY (%s)
   AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)
"""


Row = dict[str, Any]
# Lines of text by table.
Block = dict[str, str]


class Rows:
    """Rows of all tables as COPY takes them, to be copied together."""

    def __init__(self) -> None:
        self.columns: dict[str, list[str]] = {}
        self.lines: dict[str, list[str]] = {table: [] for table in TABLES}

    def add(self, block: Block) -> None:
        for table, text in block.items():
            if text:
                self.lines[table].append(text)

    def block(self, rows: dict[str, list[Row]]) -> Block:
        """Return the rows of one version as text; `add` takes it."""
        return {table: self._text(table, found) for table, found in rows.items()}

    def copy(self) -> None:
        """Copy all rows, and forget them."""
        connection.ensure_connection()
        with connection.connection.cursor() as cursor:
            for table, lines in self.lines.items():
                if not lines:
                    continue
                statement = pg.SQL("COPY {} ({}) FROM STDIN").format(
                    pg.Identifier(table),
                    pg.SQL(", ").join(map(pg.Identifier, self.columns[table])),
                )
                with cursor.copy(statement) as copy:
                    copy.write("".join(lines))
                lines.clear()

    def _text(self, table: str, rows: list[Row]) -> str:
        lines = []
        for row in rows:
            names = self.columns.setdefault(table, list(row))
            lines.append("\t".join([_written(row[name]) for name in names]) + "\n")
        return "".join(lines)


def _written(value: Any) -> str:
    """Write a value as COPY takes it as text."""
    if value is None:
        return "\\N"
    if isinstance(value, bytes):
        return "\\\\x" + value.hex()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bool):
        return "t" if value else "f"
    text = json.dumps(value).decode() if isinstance(value, (dict, list)) else str(value)
    return text.translate(ESCAPED)


@contextmanager
def in_bulk() -> Iterator[None]:
    """As a superuser, check no foreign keys and make the indexes afterwards.

    Anybody else loads as everybody writes. What loading may not do, `verify` finds.
    """
    (me,) = sql.rows("SELECT usesuper FROM pg_user WHERE usename = current_user", [])
    if not me.usesuper:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("SET maintenance_work_mem = '512MB'")
        indexes = sql.rows(INDEXES, [list(TABLES)])
        for index in indexes:
            cursor.execute(pg.SQL("DROP INDEX {}").format(pg.Identifier(index.name)))
        yield
        for index in indexes:
            cursor.execute(index.definition)
