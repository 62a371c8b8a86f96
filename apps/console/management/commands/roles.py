"""manage.py roles: prints the SQL that makes the roles on a server of one's own."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
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
        logins = {
            role: conninfo_to_dict(url)
            for role, url in settings.DATABASE_URLS.items()
            if url
        }
        if set(logins) == {Role.WEB}:
            # The only role there was so far has made the tables: they stay its own.
            logins = {Role.OWNER: logins[Role.WEB]}
        names = NAMES | {role: str(one["user"]) for role, one in logins.items()}
        found = logins.get(Role.OWNER, {})
        database = str(found.get("dbname", DATABASE))
        passwords = {role: str(one.get("password", "")) for role, one in logins.items()}
        verifiers = {
            role: scram.verifier(password)
            for role, password in passwords.items()
            if password and password.isascii()
        }
        self.stdout.write(HEAD.format(database=database))
        self.stdout.write("BEGIN;")
        for statement in (
            *administration.roles(names, verifiers),
            *administration.access(names, database),
        ):
            self.stdout.write(f"{statement.as_string(None)};")
        self.stdout.write("COMMIT;")
        for role in names.keys() - verifiers.keys():
            self.stdout.write(
                UNSAID.format(
                    name=names[role],
                    how=f"in psql: \\password {names[role]}",
                    variable=VARIABLES[role],
                )
            )
