"""manage.py roles: prints the SQL that makes the roles on a server of one's own."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from apps.core.postgres.locate import DATABASE, NAMES
from apps.core.roles import administration, scram
from apps.core.roles.names import VARIABLES, Role

HEAD = """\
-- To be run by an administrator who is connected to the database {database}, e.g.
--   manage.py roles | psql --set ON_ERROR_STOP=1 postgresql://postgres@db/{database}
-- Running it again changes nothing. The tables' rights follow with manage.py up, and
-- with manage.py migrate."""
UNSAID = """\
-- {name} gets no password here: give it one ({how}), and name it in {variable}."""


class Command(BaseCommand):
    help = (
        "Print the SQL by which an administrator makes the four roles on a PostgreSQL "
        "of your own. Names and passwords are those of DATABASE_URL and its siblings; "
        "passwords are printed as SCRAM verifiers."
    )
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        logins = {role: _read(role, url) for role, url in _given().items()}
        if set(logins) == {Role.WEB}:
            # The only role there was so far has made the tables: they stay its own.
            logins = {Role.OWNER: logins[Role.WEB]}
        names = NAMES | {r: one["user"] for r, one in logins.items() if "user" in one}
        database = logins.get(Role.OWNER, {}).get("dbname", DATABASE)
        verifiers = {
            role: scram.verifier(one["password"])
            for role, one in logins.items()
            if one.get("password", "").isascii() and one.get("password")
        }
        self.stdout.write(HEAD.format(database=database))
        self.stdout.write("BEGIN;")
        for statement in (
            *administration.roles(names, verifiers),
            *administration.access(names, database),
        ):
            self.stdout.write(f"{statement.as_string(None)};")
        self.stdout.write("COMMIT;")
        for role, name in names.items():
            if role not in verifiers:
                how = f"in psql: \\password {name}"
                said = UNSAID.format(name=name, how=how, variable=VARIABLES[role])
                self.stdout.write(said)


def _given() -> dict[Role, str]:
    return {role: url for role, url in settings.DATABASE_URLS.items() if url}


def _read(role: Role, url: str) -> dict[str, str]:
    try:
        return {name: str(text) for name, text in conninfo_to_dict(url).items()}
    except ProgrammingError as error:
        # What libpq says of it quotes the URL, with the password.
        raise CommandError(
            f"{VARIABLES[role]} is not the URL of a PostgreSQL."
        ) from error
