"""Merging a list that both sides changed: by identity key, or by what both kept."""

from __future__ import annotations

from apps.diffs import lists
from apps.diffs.changes import Json
from apps.diffs.merging.keyed import merged_by_key
from apps.diffs.merging.record import Record
from apps.diffs.merging.unkeyed import merged_by_content
from apps.diffs.merging.windows import Visit, window
from apps.diffs.merging.words import Three


def merged_list(record: Record, visit: Visit, three: Three, pointer: str) -> Json:
    """Merge three lists; `visit` merges what stands in them."""
    found = window(record, visit, three, pointer)
    n_base, *others = map(len, found.inner)
    if n_base + max(others) > lists.LONGEST_WINDOW:
        return found.clash_unread()
    # An empty list has no items that could not be told apart.
    key = lists.shared_identity_key(*filter(None, three))
    return merged_by_content(found) if key is None else merged_by_key(found, key)
