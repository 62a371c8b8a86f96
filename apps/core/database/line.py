"""The line of migrations that a database belongs to, and the refusal of another.

Before the first release the migrations were squashed to the schema of then. A database
from before has recorded steps of which some have names that stand for something else
now, so Django would take its tables for today's. It is known by what it lacks: the mark
that every migration of ours comes after. From the first release on nothing is squashed
again, so this stays the only line.
"""

from collections.abc import Collection

import psycopg
from django.apps import apps

Step = tuple[str, str]

MARK: Step = ("core", "0001_first_release")
TABLE = "django_migrations"


class OlderLine(Exception):
    """What was found is from before the first release; the message says what to do."""


def refuse_older(what: str, steps: Collection[Step]) -> None:
    """Look at the recorded migrations of `what` before anything is done with it.

    Raises: OlderLine.
    """
    ours = {one.label for one in apps.get_app_configs() if _is_ours(one.name)}
    if MARK not in steps and any(app in ours for app, _ in steps):
        raise OlderLine(
            f"{what} is of a Stepback from before its first release, with which the "
            "tables begin anew: nothing was changed; export what is to be kept with "
            "the version that made it, and start with another --data-dir or an empty "
            "database."
        )


def recorded_steps(connection: psycopg.Connection) -> set[Step]:
    """Return the migrations that this database has recorded; none if it is empty."""
    known = connection.execute("SELECT to_regclass(%s)", [TABLE]).fetchone()
    if known == (None,):
        return set()
    found = connection.execute(f"SELECT app, name FROM {TABLE}")  # noqa: S608
    return {(app, name) for app, name in found.fetchall()}


def _is_ours(module: str) -> bool:
    return module.startswith("apps.")
