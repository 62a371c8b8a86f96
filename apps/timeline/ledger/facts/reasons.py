"""Which versions say why they changed the state, for finding those that do not.

`sql/queries/search_tags.sql` and `search/plan.py` say the same of stored versions.
"""

from __future__ import annotations

from apps.timeline.ledger.drafts import Draft
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op

# What changes the state, and may say why. A rollback that takes another one back names
# that, which is its reason.
REASONED_OPS = frozenset({Op.UPDATE, Op.REPLACE, Op.TURN, Op.ROLLBACK})
BLANK = " \t\n\r\v\f"


def leaves_unreasoned(draft: Draft, head: VersionRow | None) -> bool:
    """Say whether a version leaves its session to be found as without a reason.

    What the head was found by, its session is found by already.
    """
    if not _is_unreasoned(draft.op, draft.step.reasoning, draft.undo_of):
        return False
    if head is None or head.op != draft.op:
        return True
    return not _is_unreasoned(head.op, head.reasoning, head.undo_of)


def _is_unreasoned(op: str, reasoning: str | None, undo_of: int | None) -> bool:
    """Say whether a version changes the state and does not say why."""
    is_silent = not (reasoning or "").strip(BLANK)
    return op in REASONED_OPS and is_silent and undo_of is None
