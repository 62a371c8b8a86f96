"""The class of each table, declared beside its app, from which its grants follow.

Each app lists its tables in `tables.py` as `TABLES`; an app that brings tables of a
package along lists those too. A table that nobody declared is granted to nobody.

- immutable: history. Rows are inserted; a trigger refuses UPDATE, DELETE and TRUNCATE,
  and only retention has the right to ask for them.
- derived: follows from history and can be rebuilt from it.
- mutable: the rest.

Rights are written as GRANT writes them, with columns where a role changes only some
(`UPDATE (status)`; a row lock takes UPDATE on one column). SELECT goes without saying,
unless its columns are said; None is no access at all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from types import MappingProxyType

from django.apps import apps
from django.utils.module_loading import module_has_submodule

from apps.core.roles.names import Role

MODULE = "tables"
READS = "SELECT"
ALL = "INSERT, UPDATE, DELETE"
_RIGHT = re.compile(r"([A-Z]+)(?: \(([a-z_, ]+)\))?")


class Kind(StrEnum):
    IMMUTABLE = "immutable"
    DERIVED = "derived"
    MUTABLE = "mutable"


@dataclass(frozen=True, slots=True)
class Table:
    """A table's class and what each role may do with it, as GRANT says it."""

    kind: Kind
    rights: Mapping[Role, str]

    def privileges(self, role: Role) -> dict[str, frozenset[str]]:
        """Return each privilege with its columns; no columns are all of them."""
        found = _RIGHT.findall(self.rights.get(role, ""))
        return {
            name: frozenset(filter(None, columns.replace(" ", "").split(",")))
            for name, columns in found
        }

    def rights_on(self, columns: Collection[str], role: Role) -> str:
        """Return a role's rights on the table while it has these columns alone.

        Of a database that is half made a later migration brings the others.
        """
        found = []
        for name, said in self.privileges(role).items():
            kept = sorted(said.intersection(columns))
            if kept or not said:
                found.append(f"{name} ({', '.join(kept)})" if kept else name)
        return ", ".join(found)


def immutable(
    *,
    web: str | None = "INSERT",
    worker: str | None = "",
    retention: str = "UPDATE, DELETE",
) -> Table:
    """Declare history: whoever writes, appends."""
    return _table(Kind.IMMUTABLE, web, worker, retention)


def derived(
    *, web: str | None = "", worker: str | None = ALL, retention: str | None = "DELETE"
) -> Table:
    """Declare what the worker can rebuild from history."""
    return _table(Kind.DERIVED, web, worker, retention)


def mutable(
    *, web: str | None = ALL, worker: str | None = "", retention: str | None = None
) -> Table:
    """Declare a table whose rows change as the product is used."""
    return _table(Kind.MUTABLE, web, worker, retention)


@cache
def declared() -> Mapping[str, Table]:
    """Return the declarations of all installed apps, by table."""
    found: dict[str, Table] = {}
    for config in apps.get_app_configs():
        if module_has_submodule(config.module, MODULE):
            found |= import_module(f"{config.name}.{MODULE}").TABLES
    return MappingProxyType(found)


def history() -> list[str]:
    """Return the tables that hold history."""
    return [name for name, table in declared().items() if table.kind is Kind.IMMUTABLE]


def _table(
    kind: Kind, web: str | None, worker: str | None, retention: str | None
) -> Table:
    given = {Role.WEB: web, Role.WORKER: worker, Role.RETENTION: retention}
    return Table(
        kind,
        MappingProxyType(
            {
                role: rights if READS in rights else f"{READS}, {rights}".strip(", ")
                for role, rights in given.items()
                if rights is not None
            }
        ),
    )
