"""What the head of a session works through and rests on: tasks, facts, what it thinks.

All of it was written by agents: it comes out shortened and harmless.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from apps.console.pages.session import change_table
from apps.console.pages.session.version_text import beginning
from apps.core.errors import Busy, DomainError
from apps.core.json import Json, parse
from apps.diffs.text import shorten, visible
from apps.timeline.versions import (
    CorruptBody,
    Fact,
    VersionRow,
    body_parts,
    facts_of,
    is_completed,
    listed,
    next_task,
    parsed_state,
    progress_of,
)

# So many facts are shown: those past their age first.
FACTS = 20
LONGEST = 200
# Larger parts are shown in the version's own tab alone.
LARGEST_PART = 256 * 1024


# Keys that states of this field share, in the order in which they are shown.
TEXTS = {
    "summary": "Summary",
    "conversation_summary": "Summary",
    "thought": "Thought",
}
ROWS = {"action_log": "Action log"}
CACHES = {"tool_cache": "Tool cache", "tool_results": "Tool results"}
LONGEST_TEXT = 600
LONGEST_ROW = 120
SHOWN = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """What the head has under a key that is known: a text, or the first of its rows.

    `pointer` leads to all of it, None where it is a part of its own.
    """

    title: str
    pointer: str | None
    text: str = ""
    rows: Sequence[str] = ()
    count: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class FactRow:
    """A fact as it is remembered; `seen_at` is when it was last known to be so."""

    key: str
    value: str
    source: str
    seen_at: datetime | None
    is_too_old: bool


def working(head: VersionRow | None, now: datetime) -> dict[str, Any]:
    """Return the head's tasks and facts; nothing where its contents are gone.

    Raises: Busy, where its store or its key cannot be had now.
    """
    if head is None or head.is_emptied:
        return {}
    try:
        parts, state = body_parts(head), parsed_state(head)
    except Busy:
        raise
    except (CorruptBody, DomainError):
        return {}
    tasks = listed(parts)
    going_on = next_task(tasks)
    facts = facts_of(parts, state).found
    stale = sorted(facts, key=lambda one: not one.is_too_old(now))
    return {
        "progress": progress_of(tasks),
        "next_task": None if going_on is None else task_row(going_on),
        "facts": [_fact(one, now) for one in stale[:FACTS]],
        "n_facts": len(facts),
        "n_too_old": sum(one.is_too_old(now) for one in facts),
        "panels": panels(state, {part.name: part.data for part in parts}),
    }


def panels(state: Mapping[str, Json], parts: Mapping[str, bytes]) -> list[Panel]:
    """Return what is recognised of a state; nothing of what it does not have."""
    found = []
    for key, title in TEXTS.items():
        said = state.get(key)
        if isinstance(said, str) and said.strip():
            text = visible(shorten(said.strip(), LONGEST_TEXT))
            found.append(Panel(title=title, pointer=f"/{key}", text=text))
    for key, title in ROWS.items():
        log = state.get(key)
        if isinstance(log, list) and log:
            # The newest stand last.
            rows = [_row(one) for one in log[-SHOWN:]]
            found.append(_rows(title, f"/{key}", rows, len(log)))
    for key, title in CACHES.items():
        pointer: str | None = f"/{key}"
        cache = state.get(key)
        if cache is None and key in parts and len(parts[key]) <= LARGEST_PART:
            cache, pointer = parse(parts[key]), None
        if isinstance(cache, (dict, list)) and cache:
            items = cache.items() if isinstance(cache, dict) else enumerate(cache)
            rows = [
                f"{visible(shorten(str(name), LONGEST_ROW))}: {_row(one)}"
                for name, one in islice(items, SHOWN)
            ]
            found.append(_rows(title, pointer, rows, len(cache)))
    return found


def _rows(title: str, pointer: str | None, rows: Sequence[str], count: int) -> Panel:
    return Panel(title=title, pointer=pointer, rows=rows, count=count)


def _row(value: Json) -> str:
    if isinstance(value, str):
        return visible(shorten(value, LONGEST_ROW))
    return visible(beginning(value, LONGEST_ROW, indent=None)[0])


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
