"""Checks that a session's own flags suggest: what was lost should be there."""

from __future__ import annotations

from dataclasses import dataclass

from apps.checks import CheckRefused, read_document, write_text
from apps.console.pages.session.change_table import place
from apps.core.json import Json
from apps.diffs.changes import Change, Kind
from apps.diffs.readers import reader
from apps.timeline.models import Session
from apps.timeline.queries import flagged_numbers
from apps.timeline.versions import kept_changes, versions_at

# Of the newest flagged versions, so many are looked at.
FLAGGED = 5
MOST = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Ready:
    """A check, and in words what it asks since when it is so."""

    text: str
    words: str


def ready(session: Session) -> list[Ready]:
    """Return checks of what was lost or turned null, of the newest flags first."""
    numbers = flagged_numbers(session.id)[-FLAGGED:]
    versions = versions_at(session.id, numbers) if numbers else []
    found: dict[str, Ready] = {}
    for version in sorted(versions, key=lambda one: -one.number):
        for change in kept_changes(version):
            check = _check_of(change)
            if check is not None:
                found.setdefault(check.text, check)
    return list(found.values())[:MOST]


def _check_of(change: Change) -> Ready | None:
    who = reader()
    if who is not None and who.hides_below(change.pointer):
        # The answer would tell what masks cover.
        return None
    at = {"place": f"state{change.pointer}"}
    if change.kind is Kind.REMOVED:
        document: Json = {"test": "there", "place": at["place"]}
        words = "lost"
    elif change.after is None:
        document = {"not": {"test": "=", "left": at, "right": {"value": None}}}
        words = "turned null"
    else:
        return None
    try:
        text = write_text(read_document(document))
    except CheckRefused:
        return None
    return Ready(text=text, words=f"{place(change.pointer)} {words}")
