"""One thing to look at: a version of a session, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.accounts.models import Project
from apps.console.pages.project.attention.kinds import FLAG_WORDS
from apps.console.pages.project.session_rows import titles_of
from apps.diffs.flags import Flag
from apps.diffs.text import shorten
from apps.metrics.ranges import EARLIEST, Range
from apps.metrics.rollback_list import Rollback, RollbackFilter, list_rollbacks
from apps.timeline.queries import OpenItem
from apps.timeline.words import OpenKind

SHOWN = 8
LONGEST = 160
# Of a writer whose clock goes ahead.
AHEAD = timedelta(days=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One thing to look at: a version of a session, and why."""

    session_id: str
    title: str
    number: int
    agent: str
    user_id: str | None
    words: str
    at: datetime
    # The status of its session, where the list says it.
    status: str | None = None
    # Older versions of the session, of those looked at, that are as this one is.
    others: Sequence[int] = ()


def items_of(kind: OpenKind, found: Sequence[OpenItem]) -> list[Item]:
    named = titles_of([one.session_id for one in found])
    return [_item(kind, one, named[one.session_id]) for one in found]


def _item(kind: OpenKind, one: OpenItem, title: str) -> Item:
    return Item(
        session_id=one.session_id,
        title=title,
        number=one.number,
        agent=one.agent,
        user_id=one.user_id,
        words=_words(kind, one),
        at=one.at,
        status=one.status,
    )


def _words(kind: OpenKind, one: OpenItem) -> str:
    if kind is OpenKind.FLAGGED:
        return ", ".join(FLAG_WORDS[Flag(flag)] for flag in one.flags)
    if kind is OpenKind.HELD:
        return "agents' writes are held"
    return shorten(one.objective_status or "its state asks for a person", LONGEST)


def newest_rollbacks(project: Project, now: datetime) -> list[Item]:
    """Return the newest rollbacks, counted as on the page of metrics: no undo."""
    ever = Range(start=EARLIEST, end=now + AHEAD)
    found = list_rollbacks(project.id, ever, RollbackFilter(), after=None, limit=SHOWN)
    shown = found[:SHOWN]
    named = titles_of([one.session_id for one in shown])
    return [_rollback(one, named[one.session_id]) for one in shown]


def _rollback(one: Rollback, title: str) -> Item:
    reason = f": {shorten(one.reasoning, LONGEST)}" if one.reasoning else ""
    return Item(
        session_id=one.session_id,
        title=title,
        number=one.number,
        agent=one.agent,
        user_id=one.user_id,
        words=f"to v{one.restored_number} by {shorten(one.actor_label)}{reason}",
        at=one.created_at,
    )
