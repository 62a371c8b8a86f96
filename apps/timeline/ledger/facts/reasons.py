"""Which versions say why they changed the state, for finding those that do not.

A write is tagged by them (`index.tags_of`); `sql/queries/search_tags.sql` and
`search/plan.py` say the same of stored versions.
"""

from __future__ import annotations

from apps.timeline.words import Op

# What changes the state, and may say why. A rollback that takes another one back names
# that, which is its reason.
REASONED_OPS = frozenset({Op.UPDATE, Op.REPLACE, Op.TURN, Op.ROLLBACK})
BLANK = " \t\n\r\v\f"
