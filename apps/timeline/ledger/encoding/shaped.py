"""What a new version says of its state: its schema, its objective, whether it waits.

What a write does not say is carried forward: a later version is of the schema of the
one before it, a rollback of that which it shows. So what a head is of is always told by
its own row. An objective is carried in the same way, unless it asks for a person: that
is answered by whatever is written next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from apps.agents.remembered import waiting_rules
from apps.agents.waiting import Rules, asks
from apps.core.json import Json
from apps.diffs.facets import Leaves
from apps.schemas.written import require_written
from apps.timeline.ledger.drafts import Draft
from apps.timeline.ledger.encoding.differences import Difference
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import WAITING_FOR, Hold, Op

# What agents write of their own; the others show, or follow, what was written.
WRITES = frozenset({Op.CREATE, Op.UPDATE, Op.REPLACE, Op.TURN, Op.FORK})
# A version asks for a human by what its agent's rules find in its state, or with an
# objective status that begins so. The newest version decides, except that a pause and
# a resume say nothing: an agent that asks and then pauses itself still waits. Any other
# write answers it, unless it says so again; so does a rollback to a state that does
# not, because what asks for a person is not carried on by it. A closed, deleted
# or expired session waits for nobody.
SILENT = frozenset({Op.PAUSE, Op.RESUME})


def shaped(draft: Draft, before: VersionRow | None, agent_id: str) -> Draft:
    """Return the draft with the schema and the objective that its state is of.

    Raises: SchemaUnknown, SchemaBehind.
    """
    shows = before
    if draft.op == Op.ROLLBACK:
        shows = draft.body_from
    written = draft.step.schema_version
    if written is None and shows is not None:
        written = shows.schema_version
    if draft.op in WRITES:
        is_later = before is not None and draft.op != Op.FORK
        head = before.schema_version if is_later and before else None
        require_written(agent_id, written=written, head=head)
    step, objective = draft.step, draft.step.objective_status
    if objective is None and shows is not None:
        known = shows.objective_status
        asks = known is not None and known.startswith(WAITING_FOR)
        objective = None if asks else known
    if (written, objective) == (step.schema_version, step.objective_status):
        return draft
    step = replace(step, schema_version=written, objective_status=objective)
    return replace(draft, step=step)


def waits(
    state: Mapping[str, Json], objective_status: str | None, rules: Rules
) -> bool:
    """Return whether a version with this state and objective waits for a human."""
    if objective_status is not None and objective_status.startswith(WAITING_FOR):
        return True
    return asks(state, rules)


def change_of_waiting(
    draft: Draft, head: VersionRow, difference: Difference
) -> bool | None:
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
