"""What people have decided of the interrupts of a thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.types import Interrupt

from stepback.answers import Approval
from stepback.langgraph.acting.shapes import approval_in, plain_answer, shape_of

VOIDED = "voided"


@dataclass(kw_only=True)
class Answers:
    """What was decided, by the ids of interrupts, and what is not decided yet."""

    decided: dict[str, Any] = field(default_factory=dict)
    waiting: list[Approval] = field(default_factory=list)

    def add(self, interrupt: Interrupt[Any], approvals: Sequence[Approval]) -> None:
        """Note what came of an interrupt; it is answered once all of it is decided."""
        decided = [
            one for one in approvals if one.outcome is not None and one.status != VOIDED
        ]
        outcomes = [one.outcome or {} for one in decided]
        if len(decided) < len(approvals):
            self.waiting += [one for one in approvals if one not in decided]
        elif approval_in(interrupt) is not None:
            self.decided[interrupt.id] = plain_answer(outcomes[0])
        else:
            self.decided[interrupt.id] = shape_of(interrupt).answer(outcomes)
