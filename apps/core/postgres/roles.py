"""The roles and the database, made so that a crash in between does no harm."""

import psycopg
from psycopg import sql

from apps.core.postgres.locate import DATABASE, NAMES, Location
from apps.core.postgres.secret import made_secret
from apps.core.roles import administration, scram
from apps.core.roles.names import Role


def ensure_roles_and_database(
    location: Location, *, may_create_databases: bool
) -> None:
    """Make what is missing, and put rights and passwords right.

    The caller holds the lock of the cluster, so looking first is no race.
    """
    with psycopg.connect(location.superuser_dsn(), autocommit=True) as connection:
        _ensure_roles(connection, location)
        _ensure_database(connection)
        # At once, because processes of a server that ended by itself connect again.
        with connection.transaction():
            _reset_roles(connection)
        rights = "CREATEDB" if may_create_databases else "NOCREATEDB"
        owner = sql.Identifier(NAMES[Role.OWNER])
        connection.execute(sql.SQL("ALTER ROLE {} {}").format(owner, sql.SQL(rights)))
    with psycopg.connect(location.superuser_dsn(DATABASE)) as connection:
        for statement in administration.access(NAMES, DATABASE):
            connection.execute(statement)


def _ensure_roles(connection: psycopg.Connection, location: Location) -> None:
    verifiers = {
        role: scram.verifier(made_secret(location.password_file(role)))
        for role in NAMES
    }
    for statement in administration.roles(NAMES, verifiers):
        connection.execute(statement)


def _ensure_database(connection: psycopg.Connection) -> None:
    known = "SELECT 1 FROM pg_database WHERE datname = %s"
    if connection.execute(known, [DATABASE]).fetchone() is None:
        connection.execute(
            sql.SQL("CREATE DATABASE {} OWNER {}").format(
                sql.Identifier(DATABASE), sql.Identifier(NAMES[Role.OWNER])
            )
        )


def _reset_roles(connection: psycopg.Connection) -> None:
    """Leave the roles nothing but what we gave them."""
    database = sql.Identifier(DATABASE)
    for name in map(sql.Identifier, NAMES.values()):
        connection.execute(
            sql.SQL(
                "ALTER ROLE {} NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS"
            ).format(name)
        )
        # A role may set what its next session begins with, also to harm it.
        for where in (sql.SQL(""), sql.SQL(" IN DATABASE {}").format(database)):
            connection.execute(sql.SQL("ALTER ROLE {}{} RESET ALL").format(name, where))
        # The role's errors go back to the application, which logs them in its own
        # way; in the server's log their text could quote a value out of a state.
        connection.execute(
            sql.SQL("ALTER ROLE {} SET log_min_messages = 'log'").format(name)
        )
