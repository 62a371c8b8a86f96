"""Whether an agent waits for a human: said by its state, or by its step's objective.

A version says so with `escalated` or `escalated_to_human` true at the top of its state,
or with an objective status that begins with `WAITING_FOR`. The newest version decides,
except that a pause and a resume say nothing: an agent that asks and then pauses itself
still waits. Any other write answers it, unless it says so again; so does a rollback to
a state that does not, because a rollback restores the state and not the objective.
A closed, deleted or expired session waits for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping

from apps.core.json import Json
from apps.diffs.facets import Leaves
from apps.timeline.ledger.drafts import Draft
from apps.timeline.ledger.encoding.differences import Difference
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Hold, Op

KEYS = ("escalated", "escalated_to_human")
OBJECTIVE = "WAITING_FOR"
SILENT = frozenset({Op.PAUSE, Op.RESUME})


def waits(state: Mapping[str, Json], objective_status: str | None) -> bool:
    """Return whether a version with this state and objective waits for a human."""
    return _state_waits(state) or _objective_waits(objective_status)


def change(draft: Draft, head: VersionRow, difference: Difference) -> bool | None:
    """Return whether the session waits once the draft is stored, None for as before.

    After a pause or a resume the answer may repeat what was known: the versions before
    them are not read for it. A close or a delete ends it by its hold.
    """
    if draft.op in SILENT or draft.hold in (Hold.CLOSED, Hold.DELETED):
        return None
    after = _objective_waits(draft.step.objective_status)
    before = _objective_waits(head.objective_status)
    shown = draft.body_from or head
    if draft.state is not None:
        after = after or _state_waits(draft.state)
        before = before or _state_waits(reading.parsed(head))
    elif shown.body_number != head.body_number:
        after = after or _version_waits(shown, difference.after)
        before = before or _version_waits(head, difference.before)
    elif (before != after or head.op in SILENT) and _state_waits(reading.parsed(head)):
        before = after = True
    return after if before != after or head.op in SILENT else None


def _objective_waits(objective_status: str | None) -> bool:
    return objective_status is not None and objective_status.startswith(OBJECTIVE)


def _state_waits(state: Mapping[str, Json]) -> bool:
    return any(state.get(key) is True for key in KEYS)


def _version_waits(version: VersionRow, leaves: Leaves) -> bool:
    """Ask the leaves of a large state that was not parsed, where they have them all."""
    if version.parsed is None and leaves.cut_depth != 1:
        return any(leaves.values.get(f"/{key}") is True for key in KEYS)
    return _state_waits(reading.parsed(version))
