"""What an agent's newest sessions say of how it makes versions; what would be wiser.

Everything is of a bounded sample, and the answer says how far it looked: the newest
sessions of the agent, the newest versions and turns of each. Costs of other policies
are estimates from that sample: more versions, each of the bytes that a version takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from apps.core import sql
from apps.timeline.ledger.facts.reasons import REASONED_OPS

# The newest sessions of the agent, and of each the newest versions and turns.
SESSIONS = 50
VERSIONS = 500
# How often a version is made while a session goes on, in seconds.
HEARTBEAT = 60
# From which share on something is worth saying, in percent.
SHARE = 10

_SESSIONS = sql.across("""
SELECT s.id, s.head_number, s.turn_count, s.created_at, s.updated_at
  FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.agent_id = %(agent)s AND s.kind = 'session'
   AND s.status <> 'deleted' AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
 ORDER BY s.id DESC LIMIT %(most)s
""")
_VERSIONS = sql.across(sql.query("timeline", "advice_versions"))
_TURNS = sql.across("""
SELECT s.id, count(*) AS turns,
       count(*) FILTER (WHERE t.input_type LIKE 'tool%%') AS calls,
       count(*) FILTER (WHERE t.input_type LIKE 'tool%%'
                          AND NOT t.made_version) AS calls_alone
  FROM timeline_session s
  JOIN timeline_turn t ON t.session_id = s.id
   AND t.turn_number > s.turn_count - %(each)s
 WHERE s.id = ANY (%(ids)s::varchar[])
 GROUP BY s.id LIMIT %(most)s
""")
# Decided on a version on which another was decided before it: a rollback cannot go
# between the two. Reads change nothing, and what was answered from the record began
# nothing.
_EFFECTS = sql.across("""
SELECT s.id, count(*) AS effects, count(*) - count(DISTINCT e.number) AS unguarded
  FROM timeline_session s
  JOIN timeline_effect e ON e.session_id = s.id
   AND e.number > s.head_number - %(each)s
 WHERE s.id = ANY (%(ids)s::varchar[])
   AND e.effect_class IS DISTINCT FROM 'read' AND e.source_effect_id IS NULL
 GROUP BY s.id LIMIT %(most)s
""")


class Policy(StrEnum):
    """When a version is made."""

    NOW = "now"  # as the agent does it
    HEARTBEAT = "heartbeat"  # also every minute while a session goes on
    PER_TOOL = "per_tool"  # also before every effect and reported tool call
    ENDS = "ends"  # at a session's beginning and end alone


class Hint(StrEnum):
    """What would be wiser."""

    UNGUARDED = "effects_without_version"
    UNREASONED = "versions_without_reasoning"
    IDLE = "versions_without_change"
    ROLLED_BACK = "many_rollbacks"


@dataclass(frozen=True, kw_only=True, slots=True)
class Habit:
    """What the sampled sessions have, added up."""

    sessions: int = 0
    versions: int = 0
    bytes: int = 0
    to_reason: int = 0
    unreasoned: int = 0
    idle: int = 0
    rollbacks: int = 0
    turns: int = 0
    calls: int = 0
    calls_alone: int = 0
    effects: int = 0
    unguarded: int = 0
    # Of all sessions, from their beginnings to their last writes.
    seconds: int = 0
    rolled_back: int = 0

    @property
    def bytes_per_version(self) -> float:
        return self.bytes / self.versions if self.versions else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyCost:
    """What a session has, on average, by a policy."""

    policy: Policy
    versions_per_session: float
    bytes_per_session: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Advice:
    """How the sampled sessions make versions, what else would cost, what is wiser.

    `since` is when the oldest of them began; `is_all` says that these are all sessions
    and all their versions.
    """

    habit: Habit
    since: datetime | None
    is_all: bool
    costs: tuple[PolicyCost, ...]
    hints: tuple[Hint, ...]


def advise(project_id: str, agent_id: str, *, now: datetime) -> Advice:
    """Look at an agent's newest sessions; the caller may see the agent."""
    asked: dict[str, Any] = {
        "project": project_id,
        "agent": agent_id,
        "now": now,
        "most": SESSIONS + 1,
    }
    found = sql.rows(_SESSIONS, asked)
    some = found[:SESSIONS]
    if not some:
        return Advice(habit=Habit(), since=None, is_all=True, costs=(), hints=())
    habit = _habit(some)
    is_whole = all(
        one.head_number < VERSIONS and one.turn_count <= VERSIONS for one in some
    )
    return Advice(
        habit=habit,
        since=some[-1].created_at,
        is_all=len(found) <= SESSIONS and is_whole,
        costs=tuple(_costs(habit)),
        hints=tuple(_hints(habit)),
    )


def _habit(sessions: Sequence[Any]) -> Habit:
    asked = {
        "ids": sql.text_array([one.id for one in sessions]),
        "each": VERSIONS,
        "most": len(sessions),
        "reasoned": sorted(op.value for op in REASONED_OPS),
    }
    sums: dict[str, int] = {one.name: 0 for one in fields(Habit)}
    for row in (
        *sql.rows(_VERSIONS, asked),
        *sql.rows(_TURNS, asked),
        *sql.rows(_EFFECTS, asked),
    ):
        for name, value in row._asdict().items():
            if name in sums:
                sums[name] += value
        sums["rolled_back"] += getattr(row, "rollbacks", 0) > 0
    lasted = [one.updated_at - one.created_at for one in sessions]
    sums["sessions"] = len(sessions)
    sums["seconds"] = sum(int(one.total_seconds()) for one in lasted)
    return Habit(**sums)


def _costs(habit: Habit) -> Iterator[PolicyCost]:
    more = {
        Policy.NOW: 0,
        Policy.HEARTBEAT: habit.seconds // HEARTBEAT,
        # A call that was begun as an effect is most often reported as a turn as well.
        Policy.PER_TOOL: max(habit.unguarded, habit.calls_alone),
    }
    for policy, versions in more.items():
        added = habit.versions + versions
        yield PolicyCost(
            policy=policy,
            versions_per_session=added / habit.sessions,
            bytes_per_session=added * habit.bytes_per_version / habit.sessions,
        )
    fewest = min(2 * habit.sessions, habit.versions)
    yield PolicyCost(
        policy=Policy.ENDS,
        versions_per_session=fewest / habit.sessions,
        bytes_per_session=fewest * habit.bytes_per_version / habit.sessions,
    )


def _hints(habit: Habit) -> Iterator[Hint]:
    if habit.unguarded:
        yield Hint.UNGUARDED
    if _is_share(habit.unreasoned, habit.to_reason):
        yield Hint.UNREASONED
    if _is_share(habit.idle, habit.versions):
        yield Hint.IDLE
    # From five percent on the guides say that something is wrong with the agent.
    if habit.rolled_back * 20 > habit.sessions:
        yield Hint.ROLLED_BACK


def _is_share(some: int, of: int) -> bool:
    return some * 100 >= of * SHARE and some > 0
