"""Whether a version asks for a human, by its state or by what it says of itself."""

from __future__ import annotations

from collections.abc import Mapping

from apps.agents.remembered import waiting_rules
from apps.agents.waiting import Rules, asks
from apps.core.json import Json
from apps.diffs.facets import Leaves
from apps.timeline.ledger.drafts import Draft
from apps.timeline.ledger.encoding.differences import Difference
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Hold, Op

# A version asks for a human by what its agent's rules find in its state, or with an
# objective status that begins so. The newest version decides, except that a pause and
# a resume say nothing: an agent that asks and then pauses itself still waits. Any other
# write answers it, unless it says so again; so does a rollback to a state that does
# not, because a rollback restores the state and not the objective. A closed, deleted
# or expired session waits for nobody.
OBJECTIVE = "WAITING_FOR"
SILENT = frozenset({Op.PAUSE, Op.RESUME})


def waits(
    state: Mapping[str, Json], objective_status: str | None, rules: Rules
) -> bool:
    """Return whether a version with this state and objective waits for a human."""
    if objective_status is not None and objective_status.startswith(OBJECTIVE):
        return True
    return asks(state, rules)


def change_of(draft: Draft, head: VersionRow, difference: Difference) -> bool | None:
    """Return whether the session waits once the draft is stored, None for as before.

    After a pause or a resume the answer may repeat what was known: the versions before
    them are not read for it. A close or a delete ends it by its hold.
    """
    if draft.op in SILENT or draft.hold in (Hold.CLOSED, Hold.DELETED):
        return None
    rules = waiting_rules(head.agent_id)
    shown = draft.body_from or head
    old: Mapping[str, Json] = {}
    new: Mapping[str, Json] = {}
    if draft.state is not None:
        old, new = reading.parsed(head), draft.state
    elif shown.body_number != head.body_number:
        old = _asking(head, difference.before, rules)
        new = _asking(shown, difference.after, rules)
    before = waits(old, head.objective_status, rules)
    after = waits(new, draft.step.objective_status, rules)
    may_differ = before != after or head.op in SILENT
    is_shown_again = draft.state is None and shown.body_number == head.body_number
    if may_differ and is_shown_again and waits(reading.parsed(head), None, rules):
        before = after = True
    return after if before != after or head.op in SILENT else None


def _asking(
    version: VersionRow, leaves: Leaves | None, rules: Rules
) -> Mapping[str, Json]:
    """Return the state; nothing of a large one that has no key by which it asks."""
    if leaves and version.parsed is None:
        written = reading.state(version)
        if not any(rule.may_hold(written) for rule in rules):
            return {}
    return reading.parsed(version)
