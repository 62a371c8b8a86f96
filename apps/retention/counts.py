"""What a preview or a removal has counted, as it is kept in its row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.retention.words import Step
from apps.timeline.models import Session
from apps.timeline.words import Kind

# Histories that a step took something of are sessions, or documents of keys.
NUMBERS = ("sessions", "documents", "versions", "turns", "rows", "bytes")


@dataclass(slots=True)
class Counts:
    """Numbers by step, what stayed by its reason, and how many sessions were seen."""

    steps: dict[str, dict[str, int]] = field(default_factory=dict)
    pinned: dict[str, int] = field(default_factory=dict)
    seen: int = 0
    held: int = 0
    documents_seen: int = 0
    documents_held: int = 0

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Counts:
        """Return what a row has kept."""
        return cls(
            steps={
                name: dict.fromkeys(NUMBERS, 0) | n
                for name, n in kept.get("steps", {}).items()
            },
            pinned=dict(kept.get("pinned", {})),
            seen=int(kept.get("seen", 0)),
            held=int(kept.get("held", 0)),
            documents_seen=int(kept.get("documents_seen", 0)),
            documents_held=int(kept.get("documents_held", 0)),
        )

    def kept(self) -> dict[str, Any]:
        """Return what the row keeps."""
        return {
            "steps": self.steps,
            "pinned": self.pinned,
            "seen": self.seen,
            "held": self.held,
            "documents_seen": self.documents_seen,
            "documents_held": self.documents_held,
        }

    def see(self, history: Session) -> None:
        """Count that one was looked at."""
        if history.kind == Kind.KEYED:
            self.documents_seen += 1
        else:
            self.seen += 1

    def hold(self, *, is_document: bool) -> None:
        """Count one that stays under a legal hold."""
        if is_document:
            self.documents_held += 1
        else:
            self.held += 1

    def add(self, step: Step, **numbers: int) -> None:
        """Count what one step has taken."""
        mine = self.steps.setdefault(step.value, dict.fromkeys(NUMBERS, 0))
        for name, n in numbers.items():
            mine[name] += n

    def stays(self, why: str, versions: int = 1) -> None:
        """Count what stays, and why."""
        self.pinned[why] = self.pinned.get(why, 0) + versions

    @property
    def has_taken(self) -> bool:
        """Whether anything has gone."""
        return any(any(numbers.values()) for numbers in self.steps.values())

    def listed(self) -> list[dict[str, Any]]:
        """Return the steps in their order, those that took nothing left out."""
        return [
            {"step": step.value, **self.steps[step.value]}
            for step in Step
            if any(self.steps.get(step.value, {}).values())
        ]
