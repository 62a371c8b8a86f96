"""Which schema the state of a new version is of, and whether its agent takes that.

What a write does not say is carried forward: a later version is of the schema of the
one before it, a rollback of that which it shows. So what a head is of is always told by
its own row.
"""

from __future__ import annotations

from dataclasses import replace

from apps.schemas.written import require_written
from apps.timeline.ledger.drafts import Draft
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op

# What agents write of their own; the others show, or follow, what was written.
WRITES = frozenset({Op.CREATE, Op.UPDATE, Op.REPLACE, Op.TURN, Op.FORK})


def shaped(draft: Draft, before: VersionRow | None, agent_id: str) -> Draft:
    """Return the draft with the schema that its state is of.

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
    if written == draft.step.schema_version:
        return draft
    return replace(draft, step=replace(draft.step, schema_version=written))
