"""The application's role and database, made so that a crash in between does no harm."""

import psycopg
from psycopg import sql

from apps.core.postgres.locate import DATABASE, ROLE


def ensure_role_and_database(
    connection: psycopg.Connection, *, may_create_databases: bool
) -> None:
    """Make what is missing, and put the role's rights right.

    The caller holds the lock of the cluster, so looking first is no race.
    """
    role, database = sql.Identifier(ROLE), sql.Identifier(DATABASE)
    if not _exists(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", ROLE):
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(role))
    rights = "CREATEDB" if may_create_databases else "NOCREATEDB"
    connection.execute(
        sql.SQL(
            "ALTER ROLE {} LOGIN NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS {}"
        ).format(role, sql.SQL(rights))
    )
    # The role's errors go back to the application, which logs them in its own way;
    # in the server's log their text could quote a value out of somebody's state.
    connection.execute(
        sql.SQL("ALTER ROLE {} SET log_min_messages = 'log'").format(role)
    )
    known = "SELECT 1 FROM pg_database WHERE datname = %s"
    if not _exists(connection, known, DATABASE):
        connection.execute(
            sql.SQL("CREATE DATABASE {} OWNER {}").format(database, role)
        )


def _exists(connection: psycopg.Connection, query: str, name: str) -> bool:
    return connection.execute(query.encode(), [name]).fetchone() is not None
