"""The SQL by which an administrator makes the roles and lets them into a database.

The launcher runs it on the embedded server at each start, and `manage.py roles` prints
it for a server of one's own. Running it again changes nothing. It asks for no more
than an administrator of a hosted PostgreSQL has, who is no superuser: attributes that
only a superuser may name are left as they are, and `powers` looks at them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from psycopg import sql

from apps.core.database.settings import SESSION
from apps.core.roles.names import GRANTEES, Role

MAKE = """\
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {text}) THEN
    CREATE ROLE {role};
  END IF;
END $$"""
# An installation that had one role so far: what that one made becomes the owner's.
HAND_OVER = """\
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
              WHERE r.rolname = {text} AND c.relnamespace = 'public'::regnamespace) THEN
    REASSIGN OWNED BY {role} TO {owner};
  END IF;
END $$"""
ACCESS = (
    "REVOKE ALL ON DATABASE {database} FROM PUBLIC, {others}",
    "GRANT CONNECT ON DATABASE {database} TO {owner}, {others}",
    "REVOKE ALL ON SCHEMA public FROM PUBLIC, {others}",
    "GRANT USAGE, CREATE ON SCHEMA public TO {owner}",
    "GRANT USAGE ON SCHEMA public TO {others}",
)


def roles(
    names: Mapping[Role, str], verifiers: Mapping[Role, str]
) -> list[sql.Composed]:
    """Return the statements that make the roles; they run in any database.

    A role without a verifier keeps its password, or has none yet.
    """
    made = []
    for role, name in names.items():
        made.append(sql.SQL(MAKE).format(text=name, role=sql.Identifier(name)))
        statement = sql.SQL("ALTER ROLE {} LOGIN").format(sql.Identifier(name))
        if role in verifiers:
            statement += sql.SQL(" PASSWORD {}").format(verifiers[role])
        made.append(statement)
    return made


def access(names: Mapping[Role, str], database: str) -> list[sql.Composed]:
    """Return the statements that let the roles in; they run in that database."""
    owner = sql.Identifier(names[Role.OWNER])
    others = [names[role] for role in GRANTEES]
    handed_over = [
        sql.SQL(HAND_OVER).format(text=name, role=sql.Identifier(name), owner=owner)
        for name in others
    ]
    let_in = [
        sql.SQL(statement).format(
            database=sql.Identifier(database),
            owner=owner,
            others=sql.SQL(", ").join(map(sql.Identifier, others)),
        )
        for statement in ACCESS
    ]
    return handed_over + let_in + _sessions(others)


def _sessions(names: Sequence[str]) -> list[sql.Composed]:
    """Return the statements that give these roles' sessions their time-outs."""
    return [
        sql.SQL("ALTER ROLE {} SET {} = {}").format(
            sql.Identifier(name), sql.Identifier(key), value
        )
        for name in names
        for key, value in SESSION.items()
    ]
