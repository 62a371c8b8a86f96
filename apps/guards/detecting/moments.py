"""What a guard is shown: a version, a turn or both, and what came before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from apps.diffs.changes import Comparison
from apps.diffs.equality import spelling
from apps.timeline.hooks import reported

# How many turns before one are looked at, at most.
EARLIER = 20
DENIED = "permission_denied"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnSeen:
    """What is looked at of one turn; `output` is a digest of what was answered."""

    number: int
    output: bytes
    has_failed: bool
    is_denied: bool
    confidence: Any = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """One write. `state` is None where it made no version, `turn` where no turn.

    `changes` are what differs from the state before, None at a beginning; `earlier`
    are the turns before this one, the newest first.
    """

    at: datetime
    state: Any = None
    is_version: bool = False
    before: Any = None
    has_before: bool = False
    changes: Comparison | None = None
    turn: TurnSeen | None = None
    earlier: Sequence[TurnSeen] = ()


def turn_seen(
    number: int,
    said: Mapping[str, Any],
    answered: Mapping[str, Any],
    metadata: Mapping[str, Any] | None,
) -> TurnSeen:
    """Return what is looked at of a turn with this input and output."""
    facts = reported.facts(said, answered, metadata)
    about = metadata or {}
    return TurnSeen(
        number=number,
        output=sha256(spelling(dict(answered))).digest(),
        has_failed=facts.get("tool_failed") is True,
        is_denied=any(
            one == DENIED
            for one in (
                *(answered.get(name) for name in ("type", "error", "code")),
                *(about.get(name) for name in ("type", "error_type", "action")),
            )
        ),
        confidence=about.get("confidence", answered.get("confidence")),
    )
