"""Signs that a version went wrong, for badges, filters and alerts.

Derived from one comparison at append; a flag is a hint to look, never a refusal. One
sign is of a call and not of a loss: the ledger looks for that in what a version says.
"""

from enum import StrEnum

from apps.diffs.changes import Change, Comparison, Json, Kind
from apps.diffs.equality import is_copied_from

# Below this many bytes a state that halves has lost a word or two, not its memory.
_TINY = 256


class Flag(StrEnum):
    """What seems to be wrong with a version."""

    KEYS_LOST = "keys_lost"
    NULLED = "nulled"
    SHRANK = "shrank"
    REPEATED = "repeated"


def flags(
    comparison: Comparison, size_before: int, size_after: int
) -> tuple[Flag, ...]:
    """Give the flags of loss of a version, always in the same order.

    `keys_lost`: a top-level key is gone. `nulled`: a value turned null, anywhere that
    the comparison reached. `shrank`: the state was at least 256 bytes and is now half
    of that or less.
    """
    found = {
        Flag.KEYS_LOST: _lost_keys(comparison.before, comparison.after),
        Flag.NULLED: any(map(_nulls, comparison)),
        Flag.SHRANK: size_before >= _TINY and size_after * 2 <= size_before,
    }
    return tuple(flag for flag, is_raised in found.items() if is_raised)


def _lost_keys(before: Json, after: Json) -> bool:
    if not isinstance(before, dict):
        return False
    if not isinstance(after, dict):
        return True
    return not (is_copied_from(after, before) or before.keys() <= after.keys())


def _nulls(change: Change) -> bool:
    return change.after is None and change.kind in (Kind.CHANGED, Kind.TYPE_CHANGED)
