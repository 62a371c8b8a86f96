"""The rows of retention that records cover: policies and legal holds.

So a policy that was switched on behind the product's back, or a legal hold that was
taken away, is found by whoever verifies.
"""

from __future__ import annotations

from apps.audit.covered import Covered

POLICY = Covered(
    kind="retention policy",
    columns=(
        *("agent_id", "thin_days", "archive_days", "empty_days", "prune_days"),
        *("remove_days", "ended_days", "keep_last", "is_enabled", "preview_id"),
    ),
    key=lambda policy: str(policy.id),
    named=lambda key: f"policy of retention {key}",
    present="""
    SELECT p.id AS key, p.created_at AS made_at, p.agent_id, p.thin_days,
           p.archive_days, p.empty_days, p.prune_days, p.remove_days, p.ended_days,
           p.keep_last, p.is_enabled, p.preview_id
      FROM retention_policy p WHERE p.project_id = %(project)s
    """,
)
LEGAL_HOLD = Covered(
    kind="legal hold",
    columns=("kind", "value", "reason", "until", "ended_at"),
    key=lambda hold: str(hold.id),
    named=lambda key: f"legal hold {key}",
    present="""
    SELECT h.id AS key, h.created_at AS made_at, h.kind, h.value, h.reason, h.until,
           h.ended_at
      FROM retention_legalhold h WHERE h.project_id = %(project)s
    """,
)
