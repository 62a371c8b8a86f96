"""How much of a session one pass verifies."""

from __future__ import annotations

import math
from dataclasses import dataclass

from apps.core.admission.work import WorkBudget

# Nothing ends it: a command verifies all of a session.
UNBOUNDED = 2**62


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Where a pass begins and when it ends: after what reaches a limit.

    With `after`, the versions up to that one are taken for what they say they are:
    they are verified by the pass before; turns likewise. One version or turn is
    verified in any case.
    """

    after: int | None = None
    # Turns follow the versions. With this number, 0 before the first of them, all that
    # is said of the session as a whole was said by the pass before as well.
    after_turn: int | None = None
    versions: int | None = None
    # In units of `core.admission.work`.
    work: int | None = None

    def budget(self) -> WorkBudget:
        if self.work is None:
            return WorkBudget(UNBOUNDED, seconds=math.inf)
        return WorkBudget(self.work)
