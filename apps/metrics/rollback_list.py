"""List the rollbacks that a figure counts: session, time, depth, reason, actor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.core import keyset, sql
from apps.metrics import facts
from apps.metrics.ranges import Range
from apps.timeline.queries import opened_text

ROLLBACKS = sql.query("metrics", "rollbacks", before=keyset.below_id("e.id", "after"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Rollback:
    """One rollback that is counted; `release` is what it is laid to, if any."""

    id: str
    session_id: str
    number: int
    created_at: datetime
    restored_number: int
    reason_code: str
    reasoning: str | None
    actor_label: str
    agent_id: str
    agent: str
    user_id: str | None
    release: str
    depth: int
    waited: float

    def __post_init__(self) -> None:
        """Open what an encrypting project has sealed.

        Raises: KeysUnavailable.
        """
        reasoning = opened_text(self.session_id, self.reasoning)
        object.__setattr__(self, "reasoning", reasoning)


@dataclass(frozen=True, kw_only=True, slots=True)
class RollbackFilter:
    """Which rollbacks; None leaves a clause out. An empty text: none was told."""

    agent: str | None = None
    reason: str | None = None
    release: str | None = None
    model: str | None = None
    actor: str | None = None


def list_rollbacks(
    project_id: str,
    range_: Range,
    wanted: RollbackFilter,
    *,
    after: str | None,
    limit: int,
) -> Sequence[Rollback]:
    """Return up to `limit` + 1 rollbacks of the range, the newest first."""
    asked = facts.asked(project_id, range_.start, range_.end)
    asked |= {"after": after, "limit": limit + 1}
    asked |= {
        name: getattr(wanted, name) for name in RollbackFilter.__dataclass_fields__
    }
    return sql.records(Rollback, ROLLBACKS, asked)
