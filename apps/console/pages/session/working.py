"""What the head of a session works through and rests on: tasks, and facts with age.

All of it was written by agents: it comes out shortened and harmless.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.console.pages.session import change_table
from apps.console.pages.session.version_text import beginning
from apps.core.errors import DomainError
from apps.core.json import Json
from apps.diffs.text import shorten, visible
from apps.timeline.versions import (
    CorruptBody,
    Fact,
    VersionRow,
    body_parts,
    facts_of,
    is_completed,
    next_task,
    parsed_state,
    progress_of,
    tasks_in,
)

# So many facts are shown: those past their age first.
FACTS = 20
LONGEST = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class FactRow:
    """A fact as it is remembered; `seen_at` is when it was last known to be so."""

    key: str
    value: str
    source: str
    seen_at: datetime | None
    is_too_old: bool


def working(head: VersionRow | None, now: datetime) -> dict[str, Any]:
    """Return the head's tasks and facts; nothing where its contents are gone."""
    if head is None or head.is_emptied:
        return {}
    try:
        parts, state = body_parts(head), parsed_state(head)
    except (CorruptBody, DomainError):
        return {}
    tasks = tasks_in(parts)
    going_on = next_task(tasks)
    facts = facts_of(parts, state).found
    stale = sorted(facts, key=lambda one: not one.is_too_old(now))
    return {
        "progress": progress_of(tasks),
        "next_task": None if going_on is None else task_row(going_on),
        "facts": [_fact(one, now) for one in stale[:FACTS]],
        "n_facts": len(facts),
        "n_too_old": sum(one.is_too_old(now) for one in facts),
    }


def task_row(task: Json) -> dict[str, Any]:
    """Return a task as lists show it, whatever its agent has made of one."""
    if not isinstance(task, dict):
        return {"name": change_table.written(task).text, "status": "", "is_done": False}
    named = (task.get(key) for key in ("title", "name", "description", "task", "id"))
    name = next((one for one in named if isinstance(one, str)), None)
    status, progress = task.get("status"), task.get("progress")
    return {
        "name": visible(name) if name else change_table.written(task).text,
        "status": visible(status) if isinstance(status, str) else "",
        "progress": progress if isinstance(progress, int | float) else None,
        "is_done": is_completed(task),
    }


def _fact(fact: Fact, now: datetime) -> FactRow:
    return FactRow(
        key=visible(shorten(fact.key, LONGEST)),
        value=beginning(fact.value, LONGEST, indent=None)[0],
        source=visible(shorten(fact.source or "", LONGEST)),
        seen_at=fact.known_at,
        is_too_old=fact.is_too_old(now),
    )
