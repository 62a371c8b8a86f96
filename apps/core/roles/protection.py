"""What keeps the process that asks from rewriting history: roles, or triggers alone.

Shown wherever somebody relies on it: when `up` starts, in `/health` and where histories
are verified.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import DEFAULT_DB_ALIAS, connections

from apps.core.monitoring.fresh import Fresh
from apps.core.roles.names import Role
from apps.core.roles.powers import powers, verdict

SHOWN = 3


def notice(found: Mapping[Role, list[str]]) -> str | None:
    """Say what `logins.weaknesses` come to; None where there are none."""
    weak = explained(found)
    if not weak:
        return None
    line = verdict([power for those in found.values() for power in those])
    # With a single login there is nothing more to say.
    return line if list(found) == [Role.WEB] else f"{line} ({weak})"


def explained(found: Mapping[Role, list[str]]) -> str:
    """Name the first few of them, by their role."""
    return "; ".join(
        f"the {role} role {', '.join(those[:SHOWN])}"
        for role, those in found.items()
        if those
    )


def protection() -> str:
    """Return in one line what protects history from this process's role.

    Raises: django.db.DatabaseError.
    """
    return VERDICT.get()


def ask_protection() -> str:
    """As `protection`, for a thread that ends with its question."""
    try:
        return protection()
    finally:
        connections[DEFAULT_DB_ALIAS].close()


def _verdict() -> str:
    connection = connections[DEFAULT_DB_ALIAS]
    connection.ensure_connection()
    with connection.wrap_database_errors:
        return verdict(powers(connection.connection))


# Rights change when somebody changes them by hand, which is seldom.
VERDICT = Fresh(_verdict, seconds=60.0)
