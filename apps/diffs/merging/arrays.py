"""Merging a list that both sides changed: by identity key, or by what both kept."""

from __future__ import annotations

from apps.diffs import lists
from apps.diffs.merging.keyed import merged_by_key
from apps.diffs.merging.record import Record
from apps.diffs.merging.unkeyed import merged_by_content
from apps.diffs.merging.windows import Asking, window
from apps.diffs.merging.words import Three


def merged_list(record: Record, three: Three, pointer: str) -> Asking:
    """Merge three lists."""
    found = window(record, three, pointer)
    n_base, *others = map(len, found.inner)
    if n_base + max(others) > lists.LONGEST_WINDOW:
        return found.clash_unread()
    # An empty list has no items that could not be told apart.
    key = lists.shared_identity_key(*filter(None, three))
    merging = merged_by_content(found) if key is None else merged_by_key(found, key)
    return (yield from merging)
