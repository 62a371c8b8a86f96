"""What an app above tells of sessions: what their agents remember.

The timeline keeps no memories itself. Until an app registers its answers there can be
none, so none are what is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from apps.agents.acts import Act
from apps.agents.scope import Scope

if TYPE_CHECKING:
    # Not loaded before the apps are ready.
    from apps.timeline.versions.reading import VersionRow


@dataclass(frozen=True, kw_only=True, slots=True)
class RecallAsked:
    """For which session's context memories are asked, and how many.

    `head` is what the context shows, of a session that the caller may see.
    """

    act: Act
    head: VersionRow
    query: str | None
    limit: int
    includes_set_aside: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """What is remembered, the nearest first, and how near that is on average."""

    memories: Sequence[Mapping[str, Any]] = field(default_factory=list)
    average_relevance: float = 0.0
    is_drifting: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Memories:
    """How an app above answers: what is recalled, how many sessions have, and how many
    there are.

    `count` is given a project's id and its sessions', and leaves out who has none;
    `total` counts those that a caller may see.
    """

    recall: Callable[[RecallAsked], Callable[[], Recalled]]
    count: Callable[[str, Sequence[str], datetime], Mapping[str, int]]
    total: Callable[[Scope, datetime], int]


# By the app's name; one at most.
MEMORIES: dict[str, Memories] = {}


def recall(asked: RecallAsked) -> Callable[[], Recalled]:
    """Begin to recall for a session's context; what is returned answers, when asked."""
    for one in MEMORIES.values():
        return one.recall(asked)
    return Recalled


def memory_counts(
    project_id: str, session_ids: Sequence[str], *, now: datetime
) -> Mapping[str, int]:
    """Return how many memories sessions have of their own; who is left out has none."""
    for one in MEMORIES.values():
        return one.count(project_id, session_ids, now)
    return {}


def memory_total(scope: Scope, *, now: datetime) -> int:
    """Return how many memories stand that the caller may see."""
    return sum(one.total(scope, now) for one in MEMORIES.values())
