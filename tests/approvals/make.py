"""Approvals as tests make them: an agent asks over the API, people vote."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from apps.accounts.access import actor_of
from apps.accounts.models import Project, User
from apps.approvals import operations as approvals
from apps.approvals.models import Vote
from apps.approvals.operations import Said
from apps.approvals.words import Verdict
from tests.acts import act_in
from tests.timeline.runs import Run, succeeded

REFUND = {
    "tool": "issue_refund",
    "arguments": {"amount": 2490, "to": "card ending 4471"},
    "schema": {
        "type": "object",
        "properties": {
            "amount": {"type": "integer", "minimum": 1, "maximum": 5000},
            "to": {"type": "string"},
        },
        "required": ["amount", "to"],
    },
    "depends_on": ["/claim/amount"],
}


def asked(run: Run, **fields: Any) -> Any:
    """Return the approval that an agent asks for."""
    return run.post("approvals", {**REFUND, **fields})


def read(run: Run, approval_id: str, **query: Any) -> Any:
    answer = run.client.get(f"/v1/approvals/{approval_id}", query or None)
    return succeeded(answer).body


def voted(
    project: Project,
    user: User,
    approval_id: str,
    verdict: str = "approve",
    *,
    now: datetime | None = None,
    **said: Any,
) -> Vote:
    """Return the vote that a person gives."""
    return approvals.vote(
        act=act_in(project, actor_of(user), now),
        approval_id=approval_id,
        said=Said(verdict=Verdict(verdict), **said),
    )
