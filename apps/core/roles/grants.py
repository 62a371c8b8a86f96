"""What each role may do in the database, made so from what the tables declare.

Runs after each migration, as the owner. It goes by the catalogue: what a migration made
is found there, and what nobody declared is granted to nobody. Everything is revoked
and granted again in one transaction, so a class that changed takes its rights along.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import psycopg
from psycopg import sql

from apps.core.roles.declared import Table, declared
from apps.core.roles.names import GRANTEES, Role

SCHEMA = "public"
# "rights" in ASCII, a number that nobody else takes: two grants at once would meet in
# the same rows of the catalogue.
LOCK = 0x726967687473
OWNED_TABLES = """
SELECT c.relname FROM pg_class c
 WHERE c.relnamespace = %s::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND pg_has_role(c.relowner, 'USAGE')
"""
OWNED_COLUMNS = """
SELECT c.relname, array_agg(a.attname::text)
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE c.relnamespace = %s::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND pg_has_role(c.relowner, 'USAGE') AND a.attnum > 0 AND NOT a.attisdropped
 GROUP BY c.relname
"""
# Of an identity column nobody needs the sequence: it belongs to the insert.
OWNED_SEQUENCES = """
SELECT s.relname, t.relname
  FROM pg_class s
  LEFT JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid
                       AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a'
  LEFT JOIN pg_class t ON t.oid = d.refobjid
 WHERE s.relnamespace = %s::regnamespace AND s.relkind = 'S'
   AND pg_has_role(s.relowner, 'USAGE')
"""
OWNED_ROUTINES = """
SELECT p.oid::regprocedure::text FROM pg_proc p
 WHERE p.pronamespace = %s::regnamespace AND pg_has_role(p.proowner, 'USAGE')
"""


def grant(connection: psycopg.Connection, names: Mapping[Role, str]) -> None:
    """Give every role what the declarations say, and nobody else anything.

    `names` are the roles' names in this database. What is the owner's as well has
    every right already: with one role there is nothing to grant.
    """
    names = {role: names[role] for role in GRANTEES if names[role] != names[Role.OWNER]}
    if not names:
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        for statement in _statements(connection, names):
            connection.execute(statement)


def _statements(
    connection: psycopg.Connection, names: Mapping[Role, str]
) -> Iterator[sql.Composed]:
    everybody = _listed(sorted(set(names.values())))
    public = sql.SQL("PUBLIC, {}").format(everybody)

    def found(query: str) -> list[tuple[Any, ...]]:
        return connection.execute(query.encode(), [SCHEMA]).fetchall()

    tables: list[str] = [name for (name,) in found(OWNED_TABLES)]
    sequences: dict[str, str] = dict(found(OWNED_SEQUENCES))
    routines: list[str] = [name for (name,) in found(OWNED_ROUTINES)]
    # What comes later is nobody's until it is declared.
    for kind in ("TABLES", "SEQUENCES", "ROUTINES"):
        yield sql.SQL("ALTER DEFAULT PRIVILEGES REVOKE ALL ON {} FROM {}").format(
            sql.SQL(kind), public
        )
    for kind, objects in (
        ("TABLE", [_qualified(name) for name in tables]),
        ("SEQUENCE", [_qualified(name) for name in sequences]),
        # As PostgreSQL writes them, quoted and with their parameters.
        ("ROUTINE", [sql.SQL(name) for name in routines]),
    ):
        if objects:
            yield sql.SQL("REVOKE ALL ON {} {} FROM {}").format(
                sql.SQL(kind), sql.SQL(", ").join(objects), public
            )
    if routines:
        yield sql.SQL("GRANT EXECUTE ON ROUTINE {} TO {}").format(
            sql.SQL(", ".join(routines)), everybody
        )
    columns: dict[str, list[str]] = dict(found(OWNED_COLUMNS))
    known = {name: declared()[name] for name in tables if name in declared()}
    for role, name in names.items():
        yield from _of_role(role, name, known, columns, sequences)


def _of_role(
    role: Role,
    name: str,
    tables: Mapping[str, Table],
    columns: Mapping[str, list[str]],
    sequences: Mapping[str, str],
) -> Iterator[sql.Composed]:
    to = sql.Identifier(name)
    alike: dict[str, list[str]] = {}
    for table, about in tables.items():
        if rights := about.rights_on(columns[table], role):
            alike.setdefault(rights, []).append(table)
    for rights, those in alike.items():
        yield sql.SQL("GRANT {} ON {} TO {}").format(
            sql.SQL(rights), sql.SQL(", ").join(map(_qualified, those)), to
        )
    counted = [
        _qualified(sequence)
        for sequence, table in sequences.items()
        if table in tables and "INSERT" in tables[table].privileges(role)
    ]
    if counted:
        yield sql.SQL("GRANT USAGE ON SEQUENCE {} TO {}").format(
            sql.SQL(", ").join(counted), to
        )


def _qualified(name: str) -> sql.Identifier:
    return sql.Identifier(SCHEMA, name)


def _listed(names: list[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))
