"""What a checkpointer does beside writing versions: pending writes, and deleting.

Neither is state. Writes may come before their checkpoint, which is saved meanwhile, so
they name it and do not wait for it. Deleting is a mark: the versions stay as evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import sql
from apps.core.actors import Actor
from apps.core.errors import InvalidRequest
from apps.timeline.errors import held
from apps.timeline.ledger import policies
from apps.timeline.ledger.locking import lock_session
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import VersionRow, require_text

MOST_WRITES = 1_000
LONGEST_NAME = 255
LONGEST_CHANNEL = 1_000
LONGEST_PATH = 4_000
INDEXES = range(-1_000, 1_000_000)

# A write of an index comes once. What replaces is the next attempt, unless it says the
# same again; the row lock keeps two from being the same attempt.
_ADD = sql.of_session(sql.query("timeline", "add_writes"))
_HIDE = sql.of_session("""
INSERT INTO timeline_hiddenversions (
    session_id, first_number, last_number, actor_kind, actor_id, actor_label,
    created_at)
VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING 1
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskWrite:
    """One value that a task wrote, as its checkpointer serialised it."""

    index: int
    channel: str
    type: str
    data: bytes

    def __post_init__(self) -> None:
        require_text("channel", self.channel, LONGEST_CHANNEL)
        require_text("type", self.type, LONGEST_NAME)
        if self.index not in INDEXES:
            raise InvalidRequest("index is out of range.", param="index")


@transaction.atomic
def add_writes(
    *,
    act: Act,
    session_id: str,
    checkpoint_id: str,
    task_id: str,
    task_path: str,
    writes: Sequence[TaskWrite],
    replace: bool,
) -> int:
    """Keep what a task wrote for the step after a checkpoint; return how many are new.

    The first write of an index stays; with `replace` the newest counts, for errors,
    interrupts and what resumes them.

    Raises: SessionNotFound, SessionPaused, SessionClosed, AgentSuspended, AgentDeleted,
    InvalidRequest.
    """
    require_text("checkpoint_id", checkpoint_id, LONGEST_NAME)
    require_text("task_id", task_id, LONGEST_NAME)
    require_text("task_path", task_path, LONGEST_PATH)
    _require_apart(writes)
    fetching.head(act.scope, session_id, now=act.now)
    lock_session(session_id)
    # Once more: who waited for the lock must see a hold that came meanwhile.
    head = fetching.head(act.scope, session_id, now=act.now)
    _require_open(head, act.actor)
    made = sql.rows(
        _ADD,
        {
            "session": session_id,
            "checkpoint": checkpoint_id,
            "task": task_id,
            "path": task_path,
            "now": act.now,
            "replace": replace,
            "indexes": [one.index for one in writes],
            "channels": [one.channel for one in writes],
            "types": [one.type for one in writes],
            "data": [one.data for one in writes],
        },
    )
    if made:
        audit.record(
            stream_id=session_id,
            project_id=act.project_id,
            action=Action.WRITES_ADDED,
            resource_type="writes",
            resource_id=session_id,
            act=act,
            details={"count": len(made)},
            number=head.number,
        )
    return len(made)


@transaction.atomic
def hide_versions(
    *,
    act: Act,
    session_id: str,
    first: int,
    last: int,
) -> tuple[int, int]:
    """Hide versions from the checkpointer, both ends included; return which.

    The history, the console and the proof keep them. Twice is once.

    Raises: SessionNotFound, InvalidRequest.
    """
    head = fetching.head(act.scope, session_id, now=act.now)
    if not 0 <= first <= last <= head.number:
        raise InvalidRequest(
            f"Name versions from 0 to {head.number}, the first first.",
            param="first_version",
        )
    actor = act.actor
    about = [session_id, first, last, actor.kind, actor.id, actor.label, act.now]
    if sql.rows(_HIDE, about):
        audit.record_for(
            stream_id=session_id,
            project_id=act.project_id,
            action=Action.VERSIONS_HIDDEN,
            resource_type="session",
            resource_id=session_id,
            act=act,
            details={"first_version": first, "last_version": last},
            number=head.number,
        )
    return first, last


def _require_apart(writes: Sequence[TaskWrite]) -> None:
    if len(writes) > MOST_WRITES:
        raise InvalidRequest(f"At most {MOST_WRITES:,} writes.", param="writes")
    if len({one.index for one in writes}) != len(writes):
        raise InvalidRequest("Two writes have the same index.", param="writes")


def _require_open(head: VersionRow, actor: Actor) -> None:
    policy = policies.WRITE[actor.kind]
    if head.hold in policy.refused:
        raise held(head.hold, head.number)
    if policy.suspends:
        Agent.objects.get(id=head.agent_id).require_writing()
