"""How far a session's tasks are, kept beside its facets for lists.

Nothing of a body is read for a row of a list, so it is written with the version. Under
this name no pointer stands, which begins with a slash.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from apps.diffs.facets import Facet
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
    """What is kept among a head's facets, and whether that is another than before."""

    has_changed: bool
    facets: dict[str, Facet]


# Also of one without tasks, and of a version that shows the head's body again, whose
# facets stay.
NONE = Progress(False, {})


def of_write(draft: Draft, head: VersionRow, given: bytes | None) -> Progress:
    """Return what a version with these tasks makes of it.

    A body that is shown again, as by a rollback, is at hand and has its own. What a
    bundle does not have its head does not have: parts are carried over.
    """
    shows = draft.body_from or head
    if draft.parts is None and shows.body_number == head.body_number:
        return NONE
    before = bodies.part_view(reading.raw_of(head), TASKS)
    after: bytes | memoryview | None = given
    if draft.parts is None:
        after = bodies.part_view(reading.raw_of(shows), TASKS)
    if before is None and after is None:
        return NONE
    has_changed = before != after and told(before) != told(after)
    return Progress(has_changed, _facets(after))


def of_first(parts: Iterable[Part]) -> Progress:
    """Return what the first version of a session makes of it."""
    return Progress(True, _facets(tasks.data_in(parts)))


def told(data: bytes | memoryview | None) -> str | None:
    """Return how far the tasks of a part are, as it is kept."""
    if data is None or len(data) > LARGEST:
        return None
    found = tasks.progress(tasks.tasks_of(data))
    return None if found is None else found.text()


def _facets(data: bytes | memoryview | None) -> dict[str, Facet]:
    kept = told(data)
    return {} if kept is None else {TASKS: kept}
