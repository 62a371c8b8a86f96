"""Why states are not merged."""

from collections.abc import Sequence
from typing import Any, Self

from apps.core.errors import DomainError


class NotAFork(DomainError):
    """That session is no fork of this one."""

    code = "not_a_fork"


class _BringsConflicts:
    """What has the conflicts of a merge as they are, for who shows them."""

    conflicts: tuple[Any, ...] = ()

    def bringing(self, conflicts: Sequence[Any]) -> Self:
        self.conflicts = tuple(conflicts)
        return self


class MergeConflict(_BringsConflicts, DomainError):
    """Both sides changed the same: say for each conflict what is to become of it."""

    code = "merge_conflict"


class ChoiceRefused(_BringsConflicts, DomainError):
    """A choice names no conflict of this merge, or does not fit it."""

    code = "choice_refused"


class NothingToMerge(DomainError):
    """The state has all of this already: nothing would change."""

    code = "nothing_to_merge"


class PointerRefused(DomainError):
    """This place cannot be restored by itself."""

    code = "unacceptable_pointer"
