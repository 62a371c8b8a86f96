"""Tasks as a part or a state lists them: an id, a status, and what callers say beside.

The part `tasks` is meant, and without it the list of that name in the state.

The list is callers' own, so anything may stand in it. What is an object with an `id`
can be changed by that; what says no status is pending.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.core import json
from apps.core.json import Json
from apps.timeline.bodies.bundles import Part

PART = "tasks"
STATUSES = ("pending", "in_progress", "completed", "failed", "skipped")
# How else agents spell that something is done, or is not to be.
_COMPLETED = frozenset({"completed", "complete", "done"})
_OVER = _COMPLETED | {"skipped"}


@dataclass(frozen=True, slots=True)
class Progress:
    """How many tasks there are, and how many of them are completed or skipped."""

    done: int
    total: int

    def text(self) -> str:
        """Return it as it is kept for lists."""
        return f"{self.done}/{self.total}"

    @classmethod
    def of_text(cls, text: str | None) -> Progress | None:
        """Return what was kept, None where there is nothing."""
        done, _, total = (text or "").partition("/")
        if not (done.isdecimal() and total.isdecimal()):
            return None
        return cls(int(done), int(total))


def tasks_in(parts: Iterable[Part]) -> list[Json]:
    """Return the tasks of a bundle, none where there are none."""
    return tasks_of(data_in(parts))


def listed(parts: tuple[Part, ...]) -> list[Json]:
    """Return the tasks of a bundle, or without the part those that its state lists."""
    if (data := data_in(parts)) is not None:
        return tasks_of(data)
    state = next((part.data for part in parts if part.name == "state"), b"")
    return _listed_in(json.parse_written(state)) or [] if may_list(state) else []


def written_in(state: Json) -> bytes | None:
    """Return the list that a state has of them as it is written, None without one."""
    found = _listed_in(state)
    return None if found is None else json.dumps(found)


def may_list(state: bytes) -> bool:
    """Say whether a state may have such a list, before it is parsed for that."""
    return f'"{PART}":'.encode() in state


def _listed_in(state: Json) -> list[Json] | None:
    found = state.get(PART) if isinstance(state, Mapping) else None
    return found if isinstance(found, list) else None


def data_in(parts: Iterable[Part]) -> bytes | None:
    """Return the part as it is written, None where there is none."""
    return next((part.data for part in parts if part.name == PART), None)


def tasks_of(data: bytes | memoryview | None) -> list[Json]:
    """Return the tasks that a stored part lists."""
    found = json.parse_written(bytes(data)) if data else []
    return found if isinstance(found, list) else []


def progress(tasks: Sequence[Json]) -> Progress | None:
    """Return how far they are, None where there are none."""
    if not tasks:
        return None
    return Progress(sum(map(is_over, tasks)), len(tasks))


def is_completed(task: Json) -> bool:
    """Say whether a task was done."""
    return status_of(task) in _COMPLETED


def is_over(task: Json) -> bool:
    """Say whether nobody has to work on a task any more: it is completed or skipped."""
    return status_of(task) in _OVER


def status_of(task: Json) -> str:
    """Return the status of a task as it was said, in small letters."""
    status = task.get("status") if isinstance(task, Mapping) else None
    return status.casefold() if isinstance(status, str) else STATUSES[0]


def next_task(tasks: Sequence[Json]) -> Json:
    """Return the first that is neither completed nor skipped, in order; null: none."""
    return next((one for one in tasks if not is_over(one)), None)


def is_named(task: Json, id: str) -> bool:
    """Say whether a task has this id, as a text or a whole number."""
    said: Any = task.get("id") if isinstance(task, Mapping) else None
    if isinstance(said, bool) or not isinstance(said, str | int):
        return False
    return str(said) == id
