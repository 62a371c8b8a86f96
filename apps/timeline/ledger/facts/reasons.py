"""Which versions say why they changed the state, for finding those that do not.

A write is tagged by them (`index.tags_of`); `sql/queries/search_tags.sql` and
`search/planning/statements.py` say the same of stored versions.
"""

from __future__ import annotations

from apps.timeline.ledger.drafts import Draft
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op

# What changes the state, and may say why. A rollback that takes another one back names
# that, which is its reason.
REASONED_OPS = frozenset({Op.UPDATE, Op.REPLACE, Op.TURN, Op.ROLLBACK})
BLANK = " \t\n\r\v\f"


def is_newly_silent(draft: Draft, head: VersionRow | None) -> bool:
    """Say whether what says no reason leaves a tag that the head did not leave."""
    if draft.undo_of is not None or draft.op not in REASONED_OPS:
        return False
    known = head is not None and head.op == draft.op and head.undo_of is None
    return head is None or not known or bool((head.reasoning or "").strip(BLANK))
