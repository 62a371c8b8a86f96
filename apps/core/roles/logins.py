"""How each role logs in, and as whom this process does.

A server of one's own is named by URLs in the environment; without any, the embedded
server's folder says where it is and what the passwords are. A role without a URL of its
own uses that of the web, which then stands for all of them: one role.
"""

from __future__ import annotations

import psycopg
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.postgresql.base import DatabaseWrapper

from apps.core.database.settings import DJANGO_NAMES, database
from apps.core.postgres.locate import Location
from apps.core.roles.grants import grant
from apps.core.roles.names import VARIABLES, Role
from apps.core.roles.powers import powers


def url_of(role: Role) -> str:
    """Return how a role logs in."""
    urls = settings.DATABASE_URLS
    if urls[Role.WEB]:
        return str(urls[role] or urls[Role.WEB])
    at: Location = settings.LOCATION
    return at.dsn_of(role)


def log_in_as(role: Role) -> None:
    """Have this process connect as `role` from now on; what is open is closed.

    For a process that begins: other threads would go on with their connections.
    """
    let_go()
    named = role if settings.DATABASE_URLS[role] else Role.WEB
    wanted = database(
        url_of(role),
        pool_size=settings.POOL_SIZE,
        prepare=settings.PREPARE,
        variable=VARIABLES[named],
    )
    mine = connections[DEFAULT_DB_ALIAS].settings_dict
    mine |= dict.fromkeys(DJANGO_NAMES.values(), "") | wanted


def let_go() -> None:
    """Close the connections of this process, also those that its pool keeps."""
    connection = connections[DEFAULT_DB_ALIAS]
    connection.close()
    if isinstance(connection, DatabaseWrapper):
        connection.close_pool()


def grant_all(connection: psycopg.Connection) -> None:
    """Give every role its rights; the connection is the owner's.

    Raises: psycopg.Error, also for a role that is not let in.
    """
    urls = {role: url_of(role) for role in Role}
    if len(set(urls.values())) > 1:
        # What a role is called is asked of the server: a pooler may have names of its
        # own for the logins.
        grant(connection, {role: _name(url) for role, url in urls.items()})


def weaknesses() -> dict[Role, list[str]]:
    """Return what requests and jobs could do to history, by their role.

    Raises: psycopg.OperationalError for a role that is not let in.
    """
    found = {}
    for url, role in {url_of(role): role for role in (Role.WORKER, Role.WEB)}.items():
        with psycopg.connect(url, connect_timeout=10) as connection:
            found[role] = powers(connection)
    return found


def _name(url: str) -> str:
    with psycopg.connect(url, connect_timeout=10) as connection:
        row = connection.execute("SELECT current_user").fetchone()
    return str(row[0]) if row else ""
