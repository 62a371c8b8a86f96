"""How far a session's tasks are, kept beside its facets for lists.

Nothing of a body is read for a row of a list, so it is written with the version. Under
this name no pointer stands, which begins with a slash.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from apps.timeline import bodies
from apps.timeline.bodies import Part, tasks
from apps.timeline.ledger.drafts import Draft
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow

TASKS = tasks.PART
# A longer list is not counted for lists: each write that changes it would be slower.
LARGEST = 256 * 1024


@dataclass(frozen=True, slots=True)
class Progress:
    """What is kept of the head, and of what follows it."""

    before: str | None
    after: str | None

    @property
    def has_changed(self) -> bool:
        return self.before != self.after

    def beside(self, found: dict[str, Any]) -> dict[str, Any]:
        """Return facets with it."""
        return found if self.after is None else {**found, TASKS: self.after}


# Of a version that shows the head's body again: its facets stay, too.
UNCHANGED = Progress(None, None)


def of_write(draft: Draft, head: VersionRow) -> Progress:
    """Return what a version makes of it; a body that is shown again is at hand."""
    shows = draft.body_from or head
    if draft.parts is None and shows.body_number == head.body_number:
        return UNCHANGED
    before = bodies.part_view(reading.raw_of(head), TASKS)
    if draft.parts is not None:
        after: bytes | memoryview | None = _data(draft.parts)
    else:
        after = bodies.part_view(reading.raw_of(shows), TASKS)
    if before == after:
        kept = told(before)
        return Progress(kept, kept)
    return Progress(told(before), told(after))


def of_first(parts: Iterable[Part]) -> Progress:
    """Return what the first version of a session makes of it."""
    return Progress(None, told(_data(parts)))


def told(data: bytes | memoryview | None) -> str | None:
    """Return how far the tasks of a part are, as it is kept."""
    if data is None or len(data) > LARGEST:
        return None
    found = tasks.progress(tasks.tasks_of(data))
    return None if found is None else found.text()


def _data(parts: Iterable[Part]) -> bytes | None:
    return next((part.data for part in parts if part.name == TASKS), None)
