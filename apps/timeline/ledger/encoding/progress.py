"""How far a session's tasks are, kept beside its facets for lists.

Nothing of a body is read for a row of a list, so it is written with the version. Under
this name no pointer stands, which begins with a slash.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from apps.core.json import Json
from apps.diffs.facets import Facet
from apps.timeline.bodies import Part, tasks
from apps.timeline.ledger.drafts import Draft
from apps.timeline.ledger.facts.tasked import LARGEST, Written, written_of
from apps.timeline.versions.reading import VersionRow

TASKS = tasks.PART


@dataclass(frozen=True, slots=True)
class Progress:
    """What is kept among a head's facets, and whether that is another than before."""

    has_changed: bool
    facets: dict[str, Facet]
    # The tasks as they were written before and now, where they may be others.
    before: Written = None
    after: Written = None


# Also of one without tasks, and of a version that shows the head's body again, whose
# facets stay.
NONE = Progress(False, {})


def of_write(draft: Draft, head: VersionRow, given: Written) -> Progress:
    """Return what a version with these tasks makes of it.

    A body that is shown again, as by a rollback, is at hand and has its own. What a
    bundle does not have its head does not have: parts are carried over.
    """
    shows = draft.body_from or head
    if draft.parts is None and shows.body_number == head.body_number:
        return NONE
    before, after = written_of(head), given
    if draft.parts is None:
        after = written_of(shows)
    elif given is None:
        after = tasks.written_in(draft.state)
    if before is None and after is None:
        return NONE
    has_changed = before != after and told(before) != told(after)
    return Progress(has_changed, _facets(after), before, after)


def of_first(parts: Iterable[Part], state: Json) -> Progress:
    """Return what the first version of a session makes of it."""
    written = tasks.data_in(parts)
    if written is None:
        written = tasks.written_in(state)
    return Progress(True, _facets(written), after=written)


def told(data: Written) -> str | None:
    """Return how far the tasks of a part are, as it is kept."""
    if data is None or len(data) > LARGEST:
        return None
    found = tasks.progress(tasks.tasks_of(data))
    return None if found is None else found.text()


def _facets(data: Written) -> dict[str, Facet]:
    kept = told(data)
    return {} if kept is None else {TASKS: kept}
