"""What statements may name: tables by how they are distributed, and functions on them.

Derived from the models and from the `.sql` files, so that a new table is held to the
rules from its first statement on.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from django.apps import apps

from tests.contracts.ledger_tables import DISTRIBUTED_BY, REFERENCE_TABLES, key_of

APPS = Path(__file__).resolve().parents[2] / "apps"
# The one exception (the projector works on many sessions at once; distributed it would
# be one for each node): what it is given as `_session` may be NULL, for all.
OF_ALL_SESSIONS = {"timeline_take_pending_v1"}
# Keys stay beside the sessions too: an append looks at the key that asks.
REFERENCES = REFERENCE_TABLES | {"accounts_apikey"}
_VIEW = re.compile(r"CREATE VIEW (\w+)")
_FUNCTION = re.compile(
    r"CREATE FUNCTION (\w+)\s*\((.*?)\)\s*(?:RETURNS|LANGUAGE)", re.S
)
_OUTPUT = re.compile(r"^\s*OUT\s", re.I)


@cache
def session_tables() -> dict[str, str]:
    """Return the tables and views of sessions, with the column that says whose."""
    found = {
        model._meta.db_table: key_of(model._meta.db_table)
        for app in ("timeline", "audit")
        for model in apps.get_app_config(app).get_models()
        if DISTRIBUTED_BY.get(model._meta.db_table) != "project_id"
    }
    return found | dict.fromkeys(_views(), "session_id")


@cache
def project_tables() -> frozenset[str]:
    """Return the tables that are distributed by project."""
    return frozenset(name for name, by in DISTRIBUTED_BY.items() if by == "project_id")


@cache
def session_functions() -> dict[str, int | None]:
    """Return the functions that read or write these tables.

    With the place of the argument that names the session; None: they have none.
    """
    texts = {
        found[1]: (found[2], text)
        for text in _files()
        for found in _FUNCTION.finditer(text)
    }
    tables = {*session_tables(), *project_tables()}
    names = {name for name, (_, text) in texts.items() if _mentions(text, tables)}
    while more := {
        name
        for name, (_, text) in texts.items()
        if name not in names and _mentions(text, names)
    }:
        names |= more
    return {
        name: None if name in OF_ALL_SESSIONS else _place_of_session(texts[name][0])
        for name in names
    }


def _views() -> set[str]:
    return {name for text in _files() for name in _VIEW.findall(text)}


@cache
def _files() -> tuple[str, ...]:
    folders = sorted(APPS.glob("*/sql"))
    return tuple(
        re.sub(r"--[^\n]*", "", file.read_text(encoding="utf-8"))
        for folder in folders
        for file in sorted(folder.glob("*.sql"))
    )


def _mentions(text: str, names: set[str]) -> bool:
    return bool(names & set(re.findall(r"\w+", text.partition("$$")[2] or text)))


def _place_of_session(parameters: str) -> int | None:
    given = [one for one in parameters.split(",") if not _OUTPUT.match(one)]
    for place, one in enumerate(given):
        if one.split()[:1] in (["_session"], ["_stream"]):
            return place
    return None
