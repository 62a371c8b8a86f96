"""What a start makes of the roles: which there are, and what they could do to history.

One role is enough to run; whoever wants more says so by `STEPBACK_REQUIRE_ROLES`, and
then nothing starts that could rewrite history.
"""

from collections.abc import Callable

import psycopg
from django.conf import settings

from apps.core.roles.logins import weaknesses
from apps.core.roles.names import VARIABLES, Role
from apps.core.roles.protection import explained, notice

OLDEST_SERVER = 15
# The same database of the same server, however it was reached.
WHERE = """
SELECT (SELECT oid FROM pg_database WHERE datname = current_database()),
       pg_postmaster_start_time()
"""


class RolesRefused(Exception):
    """The roles are not as they have to be; the message says what is missing."""


def refuse_unready() -> None:
    """Look at the URLs of a server of one's own before anything is done there.

    Raises: RolesRefused.
    """
    given = {role: url for role, url in settings.DATABASE_URLS.items() if url}
    missing = [VARIABLES[role] for role in Role if role not in given]
    if missing and set(given) != {Role.WEB}:
        raise RolesRefused(
            f"{', '.join(missing)} missing: name all four roles, or by DATABASE_URL "
            "alone the only one."
        )
    if missing and settings.REQUIRE_ROLES:
        raise RolesRefused(
            "STEPBACK_REQUIRE_ROLES is set, but DATABASE_URL names the only role: "
            "manage.py roles prints how to make the others."
        )
    places = {role: _looked_at(role, url) for role, url in given.items()}
    for role, place in places.items():
        if place != places[Role.WEB]:
            raise RolesRefused(
                f"{VARIABLES[role]} leads to another database than DATABASE_URL."
            )


def report(say: Callable[[str], None]) -> None:
    """Say what has to be said about roles that could rewrite history.

    Raises: RolesRefused where that must not be.
    """
    found = weaknesses()
    weak = explained(found)
    if weak and settings.REQUIRE_ROLES:
        raise RolesRefused(f"STEPBACK_REQUIRE_ROLES is set, but {weak}.")
    if (line := notice(found)) is not None:
        say(line)


def _looked_at(role: Role, url: str) -> tuple[object, ...] | None:
    name = VARIABLES[role]
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            found = connection.info.server_version // 10_000
            place = connection.execute(WHERE).fetchone()
    except psycopg.ProgrammingError as error:
        # What libpq says of it quotes the URL, with the password.
        raise RolesRefused(
            f"{name} is not the URL of a PostgreSQL, as in "
            "postgresql://user:password@host:5432/name."
        ) from error
    except psycopg.Error as error:
        why = " ".join(str(error).split())
        raise RolesRefused(
            f"The PostgreSQL of {name} does not let us in: {why}"
        ) from error
    if found < OLDEST_SERVER:
        raise RolesRefused(
            f"{name} is a PostgreSQL {found}: Stepback needs {OLDEST_SERVER} or later."
        )
    return place
