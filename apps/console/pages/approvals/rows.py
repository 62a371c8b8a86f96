"""The lists of approvals: what waits and until when, what was decided, what only asks.

Texts of agents come out shortened and harmless; templates only place them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.approvals.models import Approval, Vote
from apps.approvals.queries import Filter, Listed, list_all
from apps.approvals.standing import Standing
from apps.approvals.words import Class, Status
from apps.console.pages.project import attention
from apps.console.pages.session.version_text import beginning
from apps.core import json
from apps.diffs.readers import drawn_value
from apps.timeline.words import OpenKind

LONGEST_VALUE = 200
ARGUMENTS = 50
# Of one agent so many are looked at for what was decided about a tool.
LOOKED_BACK = 50
EARLIER = 5
CLASSES = {
    Class.READ: "changes nothing",
    Class.REVERSIBLE: "can be undone",
    Class.COMPENSABLE: "can be put right",
    Class.IRREVERSIBLE: "cannot be undone",
}
STATUSES = {
    Status.PENDING: "waits",
    Status.APPROVED: "approved",
    Status.REJECTED: "rejected",
    Status.EXPIRED: "nobody decided in time",
    Status.VOIDED: "void: set aside, over, or resting on what has changed",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One approval in a list."""

    approval: Approval
    standing: Standing

    @property
    def agent(self) -> str:
        return str(self.approval.agent.external_id)

    @property
    def gist(self) -> str:
        """The arguments on one line, as far as they fit."""
        arguments = json.parse(drawn_value(bytes(self.approval.arguments)))
        return beginning(arguments, LONGEST_VALUE, indent=None)[0]

    @property
    def class_words(self) -> str:
        return CLASSES[Class(self.approval.effect_class)]

    @property
    def status_words(self) -> str:
        return STATUSES[self.standing.status]

    @property
    def until(self) -> datetime:
        """When the next thing happens to it by itself."""
        if self.standing.is_escalated:
            return self.approval.ends_at
        return self.approval.expires_at

    @property
    def ended(self) -> Vote | None:
        return self.standing.ended


@dataclass(frozen=True, kw_only=True, slots=True)
class Asking:
    """A session whose state or objective asks for a person; nobody decides it here."""

    session_id: str
    number: int
    words: str
    agent: str
    at: datetime


def rows_of(found: Sequence[Listed]) -> list[Row]:
    return [Row(approval=one.approval, standing=one.standing) for one in found]


def asking(project: Project, rows: Sequence[Row], *, now: datetime) -> list[Asking]:
    """Return which sessions wait for a person otherwise, the newest of them."""
    known = {row.approval.session_id for row in rows}
    found = attention.all_of(project, OpenKind.WAITING, after=None, now=now)
    return [
        Asking(
            session_id=one.session_id,
            number=one.number,
            words=one.words,
            agent=one.agent,
            at=one.at,
        )
        for one in found.items
        if one.session_id not in known
    ]


def earlier(scope: Scope, approval: Approval, *, now: datetime) -> list[Row]:
    """Return what people decided last about this tool of the agent."""
    found = list_all(
        scope,
        Filter(agent=approval.agent.external_id),
        after=None,
        limit=LOOKED_BACK,
        now=now,
    )
    return [
        row
        for row in rows_of(found)
        if row.approval.tool == approval.tool
        and row.approval.id != approval.id
        and row.ended is not None
    ][:EARLIER]
