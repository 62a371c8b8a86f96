"""What a role could do to history: asked of the catalogue, not of its name.

A role that appends needs none of it. Whatever it could become by SET ROLE counts as
its own, because whoever runs in its process can ask for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from apps.core import sql
from apps.core.roles.declared import history
from apps.core.roles.grants import SCHEMA

# What is said wherever a role that serves requests or runs jobs could rewrite history.
ONE_ROLE = "one role: triggers alone protect history"
TOO_MANY = "too many rights: triggers alone protect history"
SEPARATE = "roles and triggers protect history"
# Of a role that owns the tables, or could as well.
OWNING = ("owns ", "is a superuser")

POWERS = sql.query("core/roles", "powers")


def verdict(found: Sequence[str]) -> str:
    """Say in one line what these powers come to."""
    if not found:
        return SEPARATE
    return ONE_ROLE if any(one.startswith(OWNING) for one in found) else TOO_MANY


def powers(connection: psycopg.Connection) -> list[str]:
    """Return what the connected role could do to history, as ends of a sentence."""
    asked = {"schema": SCHEMA, "history": history()}
    return [power for (power,) in connection.execute(POWERS, asked).fetchall()]
