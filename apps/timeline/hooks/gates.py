"""What apps above may refuse, asked in the transaction that would do it.

A gate is a callable that raises to refuse; it runs under the session's row lock, so
what it decides on cannot change before the act commits. Without a gate an act costs
nothing more. One attempt may ask it more than once, of different heads. Two differ: a
fork writes nothing to its origin, whose lock is given back before the new session is
made; a plan has many sessions, and is asked for under the lock of the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from apps.agents.acts import Act


@dataclass(frozen=True, kw_only=True, slots=True)
class BeginAsked:
    """An effect that an agent wants to begin; nothing of it is stored yet.

    `effect_class` is what it counts as, `number` the version it was decided on,
    `attempt` 1 unless an earlier one failed.
    """

    act: Act
    session_id: str
    agent_id: str
    head_number: int
    key: str
    tool: str
    effect_class: str
    arguments: Any
    number: int
    attempt: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AppendAsked:
    """A write about to be appended: an update, a replacement or a turn.

    A batch is asked for version by version, each with the number before it.
    """

    act: Act
    session_id: str
    agent_id: str
    head_number: int
    op: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ForkAsked:
    """A session about to begin as a fork; `agent` names another one, if it has one."""

    act: Act
    session_id: str
    agent_id: str
    number: int
    agent: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanAsked:
    """A plan about to be handed to the worker; `agent_ids` reads whose sessions.

    `digest` is of what would be done to each, where what is allowed is bound to that.
    """

    act: Act
    plan_id: str
    kind: str
    agent_ids: Callable[[], Iterable[str]]
    sessions: int = 0
    digest: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RollbackAsked:
    """A rollback about to be appended; `undo_of` names the one that it takes back."""

    act: Act
    session_id: str
    agent_id: str
    head_number: int
    to: int
    undo_of: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ResumeAsked:
    """An agent wants to resume its session; of people nothing is asked."""

    act: Act
    session_id: str
    agent_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeAsked:
    """A promotion, a revert or the like about to be appended, and of what.

    `result` is the state that it would leave.
    """

    act: Act
    session_id: str
    agent_id: str
    head_number: int
    op: str
    arguments: Mapping[str, Any]
    result: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class CompensationAsked:
    """A person or an agent wants to have an effect put right."""

    act: Act
    session_id: str
    agent_id: str
    head_number: int
    effect_id: str


# Returns None to let the effect begin, or the approval that it has to wait for, as an
# answer shows it. What the gate has written then is committed, the effect is not begun.
BeginGate = Callable[[BeginAsked], Mapping[str, Any] | None]
AppendGate = Callable[[AppendAsked], None]
ForkGate = Callable[[ForkAsked], None]
PlanGate = Callable[[PlanAsked], None]
RollbackGate = Callable[[RollbackAsked], None]
ResumeGate = Callable[[ResumeAsked], None]
MergeGate = Callable[[MergeAsked], None]
CompensationGate = Callable[[CompensationAsked], None]

# Says of an act, a session and an effect's key whether the gate may have a say in it;
# asked without the lock, so that what no gate means is one call. Who changes that at
# the same moment comes after the effect.
BeginConcern = Callable[[Act, str, str], bool]

# By the app's name. A gate without a concern is asked of every effect.
APPEND: dict[str, AppendGate] = {}
BEGIN: dict[str, BeginGate] = {}
BEGIN_CONCERNS: dict[str, BeginConcern] = {}
FORK: dict[str, ForkGate] = {}
PLAN: dict[str, PlanGate] = {}
ROLLBACK: dict[str, RollbackGate] = {}
RESUME: dict[str, ResumeGate] = {}
MERGE: dict[str, MergeGate] = {}
COMPENSATION: dict[str, CompensationGate] = {}


def ask_append(asked: AppendAsked) -> None:
    """Let a write be appended.

    Raises: whatever a gate refuses it with.
    """
    for gate in APPEND.values():
        gate(asked)


def ask_fork(asked: ForkAsked) -> None:
    """Let a session be forked.

    Raises: whatever a gate refuses it with.
    """
    for gate in FORK.values():
        gate(asked)


def ask_plan(asked: PlanAsked) -> None:
    """Let a plan be done.

    Raises: whatever a gate refuses it with.
    """
    for gate in PLAN.values():
        gate(asked)


def concerns_begin(act: Act, session_id: str, key: str) -> bool:
    """Say whether a gate may have a say in an effect of this key."""
    return any(
        name not in BEGIN_CONCERNS or BEGIN_CONCERNS[name](act, session_id, key)
        for name in BEGIN
    )


def ask_begin(asked: BeginAsked) -> Mapping[str, Any] | None:
    """Return the approval that an effect has to wait for; None lets it begin.

    Raises: whatever a gate refuses it with.
    """
    for gate in BEGIN.values():
        approval = gate(asked)
        if approval is not None:
            return approval
    return None


def ask_rollback(asked: RollbackAsked) -> None:
    """Let a rollback pass.

    Raises: whatever a gate refuses it with.
    """
    for gate in ROLLBACK.values():
        gate(asked)


def ask_resume(asked: ResumeAsked) -> None:
    """Let an agent resume its session.

    Raises: whatever a gate refuses it with.
    """
    for gate in RESUME.values():
        gate(asked)


def ask_merge(asked: MergeAsked) -> None:
    """Let a promotion, a revert or the like pass.

    Raises: whatever a gate refuses it with.
    """
    for gate in MERGE.values():
        gate(asked)


def ask_compensation(asked: CompensationAsked) -> None:
    """Let a compensation be asked for.

    Raises: whatever a gate refuses it with.
    """
    for gate in COMPENSATION.values():
        gate(asked)
