"""What merging would make of a state: whose sides, which conflicts, what stays behind.

Nothing is written here: the acts and their previews ask the same.
"""

from apps.timeline.queries.merging.combining import (
    Combined,
    PartConflict,
    kept_choices,
    split_part,
)
from apps.timeline.queries.merging.elsewhere import Result
from apps.timeline.queries.merging.preview import (
    MergePreview,
    is_nothing,
    preview_merge,
    shows_as,
)
from apps.timeline.queries.merging.requests import (
    MergeRequest,
    Promote,
    Reapply,
    Restore,
    Revert,
)
from apps.timeline.queries.merging.restoring import MOST_POINTERS

__all__ = [
    "MOST_POINTERS",
    "Combined",
    "MergePreview",
    "MergeRequest",
    "PartConflict",
    "Promote",
    "Reapply",
    "Restore",
    "Result",
    "Revert",
    "is_nothing",
    "kept_choices",
    "preview_merge",
    "shows_as",
    "split_part",
]
