"""The rows that records cover: guards, and what budgets allow.

So a guard that was switched off behind the product's back, or a budget that grew
without anybody's word, is found by whoever verifies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.audit.covered import Covered
from apps.guards.models import Budget
from apps.timeline.models import Tombstone
from apps.timeline.words import Removed

_BY = ("actor_kind", "actor_id", "actor_label", "created_at")


def _budget_key(budget: Budget) -> str:
    """Begin with the session, where it is a session's: with that it goes."""
    words = (budget.session_id, budget.id)
    return " ".join(word for word in words if word)


def _went(key: str, details: Mapping[str, Any]) -> bool:
    """Say whether a tombstone stands for the session whose budget it was."""
    session_id, _, budget_id = key.partition(" ")
    stones = Tombstone.objects.of_session(session_id).filter(kind=Removed.REMOVED)
    return bool(budget_id) and stones.exists()


GUARD = Covered(
    kind="guard",
    columns=(
        *("agent_id", "name", "kind", "mode", "revision", "rule"),
        *("withdrawn_at", *_BY),
    ),
    key=lambda guard: str(guard.id),
    named=lambda key: f"guard {key}",
    present="""
    SELECT g.id AS key, g.created_at AS made_at, g.agent_id, g.name, g.kind, g.mode,
           g.revision, g.rule, g.withdrawn_at, g.actor_kind, g.actor_id,
           g.actor_label, g.created_at
      FROM guards_guard g
     WHERE g.project_id = %(project)s
    """,
)
BUDGET = Covered(
    kind="budget",
    columns=(
        *("agent_id", "session_id", "release", "measure", "most_text", "currency"),
        *("period", "on_reach", "warn_percent", "more_text", *_BY),
    ),
    key=_budget_key,
    named=lambda key: f"budget {key.rpartition(' ')[2]}",
    went=_went,
    present="""
    SELECT concat_ws(' ', b.session_id, b.id) AS key, b.created_at AS made_at,
           b.agent_id, b.session_id, b.release, b.measure, b.most::text AS most_text,
           b.currency,
           b.period, b.on_reach, b.warn_percent,
           b.more::text AS more_text, b.actor_kind,
           b.actor_id, b.actor_label, b.created_at
      FROM guards_budget b
     WHERE b.project_id = %(project)s
    """,
)
