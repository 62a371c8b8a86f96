"""How far a run is: the session, the step behind it, and what was counted of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from apps.retention.words import Step


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """One step of one session: these versions, or all of it."""

    step: Step
    first: int = 0
    last: int = 0
    # Of a keyed document alone: here and later all of its values are to be read.
    shown_from: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A place in a session's steps, as the cursor of a run keeps it."""

    session_id: str
    # What was done last; None at the beginning.
    behind: Work | None = None
    # Nothing more of this session is due.
    is_over: bool = False
    # The whole session is due, and something keeps it: parts may go.
    is_kept: bool = False
    # The steps that have taken something: a session counts once for each.
    counted: frozenset[Step] = field(default_factory=frozenset)

    @classmethod
    def of(cls, cursor: Mapping[str, Any]) -> Place | None:
        """Return where a run goes on; None at its beginning."""
        if not cursor:
            return None
        step = cursor["step"]
        return cls(
            session_id=cursor["session"],
            behind=None if step is None else Work(step=Step(step), last=cursor["last"]),
            is_over=cursor["over"],
            is_kept=cursor["kept"],
            counted=frozenset(map(Step, cursor["counted"])),
        )

    def cursor(self) -> dict[str, Any]:
        """Return what the run's row keeps."""
        behind = self.behind
        return {
            "session": self.session_id,
            "step": None if behind is None else behind.step.value,
            "last": None if behind is None else behind.last,
            "over": self.is_over,
            "kept": self.is_kept,
            "counted": sorted(step.value for step in self.counted),
        }

    def over(self) -> Place:
        """Return the place behind all of the session."""
        return replace(self, is_over=True)

    def kept(self) -> Place:
        """Return the place where parts of a session may go that stays as a whole."""
        return replace(self, is_kept=True, behind=None)

    def after(self, work: Work) -> Place:
        """Return the place behind one step."""
        return replace(self, behind=work)

    def having_counted(self, step: Step) -> Place:
        """Return the same place, where a step has taken something."""
        return replace(self, counted=self.counted | {step})
