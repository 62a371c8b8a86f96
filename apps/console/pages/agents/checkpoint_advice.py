"""Advice on an agent's checkpoints, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from apps.timeline.queries import HEARTBEAT, Advice, Habit, Hint, Policy

POLICIES = {
    Policy.NOW: "as it does now",
    Policy.HEARTBEAT: f"also every {HEARTBEAT} seconds while a session goes on",
    Policy.PER_TOOL: "also before each effect or tool call that has none",
    Policy.ENDS: "at the beginning and the end alone",
}
HINTS: dict[Hint, Callable[[Habit], str]] = {
    Hint.UNGUARDED: lambda habit: (
        f"{habit.unguarded:,} of {habit.effects:,} effects began on a version on which "
        "another had begun: no rollback goes between the two. Make a version before "
        "each effect."
    ),
    Hint.UNREASONED: lambda habit: (
        f"{habit.unreasoned:,} of {habit.to_reason:,} versions say no reason: who "
        "looks for what went wrong has to guess. Give a reasoning with each write."
    ),
    Hint.IDLE: lambda habit: (
        f"{habit.idle:,} of {habit.versions:,} versions changed nothing: they cost, "
        "and there is nothing to go back to. Write when the state changes."
    ),
    Hint.ROLLED_BACK: lambda habit: (
        f"{habit.rolled_back:,} of {habit.sessions:,} sessions were rolled back. More "
        "than one in twenty says that the agent itself needs work."
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyRow:
    """What a session has by a policy, on average."""

    when: str
    versions: str
    bytes: int


def rows(found: Advice) -> list[PolicyRow]:
    """Return the policies, what there is now first."""
    return [
        PolicyRow(
            when=POLICIES[one.policy],
            versions=f"{one.versions_per_session:,.1f}",
            bytes=round(one.bytes_per_session),
        )
        for one in found.costs
    ]


def words(found: Advice) -> list[str]:
    """Return what would be wiser, the gravest first."""
    return [HINTS[hint](found.habit) for hint in found.hints]
