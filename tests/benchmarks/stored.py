"""How many bytes are stored, over all tables that may hold something of a session."""

from __future__ import annotations

import psycopg
from psycopg import sql

# Tables whose rows belong to a version, whatever they will be called.
OF_VERSIONS = """
SELECT c.table_name, max(c.column_name) FILTER (WHERE c.column_name <> 'number')
  FROM information_schema.columns c
  JOIN information_schema.tables t USING (table_schema, table_name)
 WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
   AND c.column_name IN ('session_id', 'stream_id', 'number')
 GROUP BY c.table_name HAVING count(*) = 2
"""
BY_TABLE = """
SELECT c.relname, pg_total_relation_size(c.oid)
  FROM pg_class c
 WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
   AND c.relname SIMILAR TO %s
"""
# Sessions, agents' data, memories, and all that belongs to them: events, vectors.
OURS = "(timeline|audit|data|meaning|memory)_%"
LANGGRAPH = "checkpoint%"


def bytes_of_version(
    connection: psycopg.Connection, session_id: str, number: int
) -> int:
    """Return the bytes of all rows that one version added, without their indexes."""
    total = 0
    for table, owner in connection.execute(OF_VERSIONS).fetchall():
        # A whole row counts its large values as they are stored.
        query = sql.SQL(
            "SELECT coalesce(sum(pg_column_size(t.*)), 0)::bigint FROM {} t"
            " WHERE t.{} = %s AND t.number = %s"
        ).format(sql.Identifier(table), sql.Identifier(owner))
        found = connection.execute(query, [session_id, number]).fetchone()
        total += found[0] if found else 0
    return total


def total_bytes(connection: psycopg.Connection, tables: str = OURS) -> int:
    """Return the size of these tables with their indexes and large values."""
    return sum(bytes_by_table(connection, tables).values())


def bytes_by_table(
    connection: psycopg.Connection, tables: str = OURS
) -> dict[str, int]:
    """Return the same, table by table."""
    return dict(connection.execute(BY_TABLE, [tables]).fetchall())
