"""Versions of an agent's config: v1 is the first that was set, v0 is none.

The config is the entry under the empty key of the agent's document, so its versions are
the ordinals of that entry, and each stands at a version of the document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.core import json
from apps.data.documents.enforcing import config_body
from apps.data.errors import ConfigVersionNotFound
from apps.timeline import queries
from apps.timeline.operations import CONFIG_KEY, Document
from apps.timeline.queries import PastEntry
from apps.timeline.words import Cause, Op

MAX_CONFIG_BYTES = 256 * 1024
# Versions that are looked through at once.
SOME = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigVersion:
    """One version of a config; v0 has neither author nor record."""

    ordinal: int
    # The version of the document that set it, and the body that it shows.
    number: int
    body_number: int | None
    config: bytes
    summary: str
    created_at: datetime | None = None
    created_by: str | None = None
    event_id: str | None = None
    reasoning: str | None = None


NO_CONFIG = ConfigVersion(
    ordinal=0, number=0, body_number=None, config=b"{}", summary="No config yet"
)


def newest(document: Document) -> ConfigVersion:
    """Return the config that stands."""
    found = queries.history(document.id, CONFIG_KEY, before=None, limit=1)
    return of_entry(document, found[0]) if found else NO_CONFIG


def numbered(document: Document, ordinal: int) -> ConfigVersion:
    """Return a version of the config.

    Raises: ConfigVersionNotFound.
    """
    row = entry_numbered(document, ordinal)
    return NO_CONFIG if row is None else of_entry(document, row)


def entry_numbered(document: Document, ordinal: int) -> PastEntry | None:
    """Return the entry of a version of the config, None for v0.

    Raises: ConfigVersionNotFound.
    """
    if ordinal == 0:
        return None
    before = ordinal + 1
    found = queries.history(document.id, CONFIG_KEY, before=before, limit=1)
    if not found or found[0].ordinal != ordinal:
        raise ConfigVersionNotFound(param="version")
    return found[0]


def page(document: Document, *, before: int | None, limit: int) -> list[ConfigVersion]:
    """Return versions below the ordinal `before`, the newest first; never v0."""
    rows = queries.history(document.id, CONFIG_KEY, before=before, limit=limit)
    return [_of_entry(row, b"{}") for row in rows]


def of_entry(document: Document, row: PastEntry) -> ConfigVersion:
    return _of_entry(row, config_body(document.id, row))


def of_version(document: Document, number: int) -> ConfigVersion | None:
    """Return the config that a version of the document set, if it set one."""
    rows: Sequence[PastEntry] = queries.entries_of(document.id, number, number)
    for row in rows:
        if row.key == CONFIG_KEY:
            return of_entry(document, row)
    return None


def ordinal_at(document: Document, number: int) -> int:
    """Return which version of the config stood at this version of the document."""
    before = None
    while rows := queries.history(document.id, CONFIG_KEY, before=before, limit=SOME):
        for row in rows:
            if row.number <= number:
                return row.ordinal
        before = rows[-1].ordinal
    return 0


def target_number(document: Document, ordinal: int) -> int:
    """Return the version of the document at which the config was this one.

    Raises: ConfigVersionNotFound.
    """
    if ordinal == 0:
        first = entry_numbered(document, 1)
        return 0 if first is None else first.number - 1
    row = entry_numbered(document, ordinal)
    return 0 if row is None else row.number


def spelled(config: object) -> bytes:
    """Return a config as it is kept and compared."""
    return json.dumps(config)


def _of_entry(row: PastEntry, config: bytes) -> ConfigVersion:
    return ConfigVersion(
        ordinal=row.ordinal,
        number=row.number,
        body_number=row.body_number,
        config=config,
        summary=_summary(row),
        created_at=row.created_at,
        created_by=row.actor_label,
        event_id=row.trace_id,
        reasoning=row.reasoning,
    )


def _summary(row: PastEntry) -> str:
    if row.cause == Cause.SET:
        return "Set"
    if row.op == Op.ROLLBACK:
        return (
            "Rolled back to no config"
            if row.body_number is None
            else "Rolled back to an earlier version"
        )
    return "Removed"
