"""A version as it is read: one row, with the facts of its session and of its body."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from apps.core.json import State
from apps.diffs.facets import Leaves


class Unread(Enum):
    """Says that something was not asked for, where None says that there is none."""

    UNREAD = 1


UNREAD = Unread.UNREAD


@dataclass(frozen=True, slots=True)
class Rollback:
    """What writers are told of a rollback that they may not have noticed."""

    number: int
    restored_number: int
    created_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionRow:
    """A version's row, with the facts of its session that answers need."""

    session_id: str
    number: int
    op: str
    restored_number: int | None
    undo_of: int | None
    reason_code: str | None
    parent_number: int | None
    body_number: int
    external_id: str | None
    actor_kind: str
    actor_id: str
    actor_label: str
    reasoning: str | None
    trace_id: str
    step_number: int | None
    step_parent_id: str | None
    objective_status: str | None
    schema_version: str | None
    release: str | None
    model: str | None
    size: int
    flags: list[str]
    hold: str
    changes: list[dict[str, Any]]
    change_count: int
    changes_truncated: bool
    request_key: str | None
    salt: bytes
    commitment: bytes
    leaf: bytes
    chain: bytes
    requested_at: datetime
    created_at: datetime
    body_depth: int
    # All parts together: what has to be decoded to show the state.
    body_size: int
    body_salt: bytes
    session_created_at: datetime
    project_id: str
    agent_id: str
    user_id: str | None
    # Its framed parts and its state, once they were read, or where they are not
    # stored yet: an earlier item of a batch.
    raw: bytes | None = None
    parsed: State | None = None
    # The short scalars of its state, where they were looked for.
    leaves: Leaves | None = None
    # The newest rollback up to it, where that was read with it; `None` is none.
    rollback: Rollback | Unread | None = UNREAD


VERSION_COLUMNS = """
    v.session_id, v.number, v.op, v.restored_number, v.undo_of, v.reason_code,
    v.parent_number, v.body_number, v.external_id, v.actor_kind, v.actor_id,
    v.actor_label, v.reasoning, v.trace_id, v.step_number, v.step_parent_id,
    v.objective_status, v.schema_version, v.release, v.model, v.size, v.flags,
    v.hold, v.changes, v.change_count, v.changes_truncated, v.request_key, v.salt,
    v.commitment, v.leaf, v.chain, v.requested_at, v.created_at,
    b.depth AS body_depth, b.size AS body_size, b.salt AS body_salt,
    s.created_at AS session_created_at, s.project_id, s.agent_id, s.user_id"""
