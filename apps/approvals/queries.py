"""Lists of approvals: what waits, by its deadline; what was decided; all of them.

What a list shows was looked at: what is set aside or over is left out of what waits,
though its row is swept only when it is due.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, QuerySet

from apps.agents.scope import Scope
from apps.approvals.models import Approval, Undecided, Vote
from apps.approvals.outcomes import approval_object
from apps.approvals.standing import (
    Standing,
    has_ended,
    pending_among,
    standings,
    standings_at,
    waits,
)
from apps.approvals.words import Class, Status
from apps.core import sql
from apps.core.ids import first_id
from apps.core.time.moments import utc_text
from apps.timeline.versions import VersionRow, lineage_of

# Rows that are looked at for one page: of what was set aside there are few.
ROUNDS = 10
# Approvals of one session that are read at once: arguments come with them.
AT_ONCE = 100
# So many that wait are counted; one more means "more than that".
MOST_COUNTED = 100
# What says whether one waits; neither its arguments nor its schema.
LOOKED_AT = ("number", "created_at", "expires_at", "on_expiry")
# Undecided ones that are looked at for the status of the sessions of one page.
MOST_OF_ONE_PAGE = 5_000
_ASKED = sql.across(sql.query("approvals", "asked_of_sessions"))
# As `Undecided.objects.first_due`, without a queryset: every page of the console asks.
_UNDECIDED = sql.across("""
SELECT session_id, approval_id FROM approvals_undecided
 WHERE project_id = %(project)s ORDER BY due_at, approval_id LIMIT %(limit)s
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """What is listed: of an agent, of a class, asked from a moment on, before one."""

    agent: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    effect_class: Class | None = None

    def applied(self, found: QuerySet[Any], id_name: str) -> Any:
        """Narrow to it; ids sort by the moment at which was asked."""
        asked: dict[str, Any] = {}
        if self.agent is not None:
            asked["agent__external_id"] = self.agent
        if self.since is not None:
            asked[f"{id_name}__gte"] = first_id("appr", self.since)
        if self.until is not None:
            asked[f"{id_name}__lt"] = first_id("appr", self.until)
        narrowed = found.filter(**asked)
        if self.effect_class is None:
            return narrowed
        if found.model is Approval:
            return narrowed.filter(effect_class=self.effect_class)
        # Undecided ones and votes do not say it themselves.
        of_class = Approval.objects.of_each_row("approval_id", self.effect_class)
        return narrowed.filter(Exists(of_class))


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """An approval, and how it stands."""

    approval: Approval
    standing: Standing


def list_pending(
    scope: Scope,
    by: Filter,
    *,
    after: str | None,
    limit: int,
    now: datetime,
) -> list[Listed]:
    """Return up to `limit` + 1 that wait for a person, the oldest deadline first."""
    found: list[Listed] = []
    place = None if after is None else _place_of(scope, after, now)
    for _ in range(ROUNDS):
        waiting = Undecided.objects.visible_to(scope).first_due().after(place)
        rows = list(by.applied(waiting, "approval_id")[: limit + 1])
        found += [
            one
            for one in _listed(_in_order(rows), now)
            if one.standing.status == Status.PENDING
        ]
        if len(found) > limit or len(rows) <= limit:
            break
        place = (rows[-1].due_at, rows[-1].approval_id)
    return found[: limit + 1]


def list_decided(
    scope: Scope,
    by: Filter,
    *,
    outcome: Status | None = None,
    after: str | None,
    limit: int,
    now: datetime,
) -> list[Listed]:
    """Return up to `limit` + 1 that are decided, the newest decision first."""
    votes = by.applied(Vote.objects.ending(scope), "approval_id")
    if outcome is not None:
        votes = votes.filter(outcome=outcome)
    if after is not None:
        last = Vote.objects.ending(scope).filter(approval_id=after).first()
        votes = votes.before(last and (last.created_at, last.approval_id))
    return _listed(_in_order(list(votes[: limit + 1])), now)


def list_all(
    scope: Scope, by: Filter, *, after: str | None, limit: int, now: datetime
) -> list[Listed]:
    """Return up to `limit` + 1 of any standing, the newest first."""
    mine = Approval.objects.visible_to(scope).newest_first(before=after)
    return _listed(list(by.applied(mine, "id")[: limit + 1]), now)


def is_pending(session_id: str, approval_id: str, *, now: datetime) -> bool:
    """Say whether this approval, which has no outcome, still waits for a person."""
    mine = Approval.objects.of_session(session_id).filter(id=approval_id)
    return bool(pending_among(list(mine[:1]), now=now))


def asked_among(session_ids: Sequence[str], now: datetime) -> set[str]:
    """Return those of these sessions in which something waits for a person."""
    asked = {"ids": sql.text_array(session_ids), "limit": MOST_OF_ONE_PAGE}
    rows = sql.rows(_ASKED, asked)
    return {row.session_id for row in rows if _waits(row, now)}


def _waits(row: Any, now: datetime) -> bool:
    """Say whether a row of `_ASKED`, which has no outcome, waits for a person."""
    approval = Approval(**{name: getattr(row, name) for name in LOOKED_AT})
    rollbacks = zip(row.rollbacks or (), row.restored or (), strict=True)
    is_over = has_ended(
        row.status,
        expires_at=row.session_ends_at,
        expired_at=row.expired_at,
        now=now,
    )
    live = lineage_of(row.head_number, list(rollbacks))
    return waits(approval, live=live, is_over=is_over, now=now)


def newest_asked(project_id: str, limit: int) -> list[str]:
    """Return the newest sessions of a project with something undecided."""
    mine = Undecided.objects.filter(project_id=project_id).values("session_id")
    found = mine.distinct().order_by("-session_id")[:limit]
    return [one["session_id"] for one in found]


def open_of(session_id: str, limit: int, now: datetime) -> list[dict[str, Any]]:
    """Return what waits for a person in a session, by its deadline, in short."""
    mine = Undecided.objects.of_session(session_id).first_due()
    pairs = list(mine.values_list("session_id", "approval_id")[:limit])
    if not pairs:
        return []
    found = Approval.objects.by_id(pairs, with_agents=False)
    waiting = pending_among([found[id] for _, id in pairs], now=now)
    return [
        {
            "id": one.id,
            "key": one.key,
            "tool": one.tool,
            "version": one.number,
            "replaces": one.replaces,
            "created_at": utc_text(one.created_at),
            "expires_at": utc_text(one.expires_at),
        }
        for one in waiting
    ]


def ever_of(head: VersionRow, now: datetime) -> Iterator[dict[str, Any]]:
    """Yield what was asked up to a version and what had come of it, the oldest first.

    Later rollbacks, votes and questions are no part of that.
    """
    mine = Approval.objects.of_session(head.session_id).oldest_first()
    asked = mine.filter(number__lte=head.number, created_at__lte=now)
    page = list(asked[:AT_ONCE])
    while page:
        stand = standings_at(page, head=head, now=now)
        for one in page:
            yield approval_object(one, stand[one.id])
        page = list(asked.filter(id__gt=page[-1].id)[:AT_ONCE])


def count_pending(project_id: str, *, now: datetime) -> int:
    """Return how many wait for a person, up to `MOST_COUNTED` + 1.

    For every page of the console: where nothing waits it is one look at an index.
    """
    asked = {"project": project_id, "limit": MOST_COUNTED + 1}
    pairs = [(one.session_id, one.approval_id) for one in sql.rows(_UNDECIDED, asked)]
    if not pairs:
        return 0
    bare = Approval.objects.only(*LOOKED_AT).by_id(pairs, with_agents=False)
    return len(pending_among(list(bare.values()), now=now))


def _in_order(rows: Sequence[Undecided] | Sequence[Vote]) -> list[Approval]:
    found = Approval.objects.by_id([(one.session_id, one.approval_id) for one in rows])
    return [found[one.approval_id] for one in rows]


def _listed(approvals: Sequence[Approval], now: datetime) -> list[Listed]:
    stand = standings(approvals, now=now) if approvals else {}
    return [Listed(approval=one, standing=stand[one.id]) for one in approvals]


def _place_of(scope: Scope, approval_id: str, now: datetime) -> tuple[datetime, str]:
    """Return where a page ended, also where that was decided since.

    Raises: ApprovalNotFound.
    """
    one = Approval.objects.visible_to(scope).one(approval_id)
    due = one.ends_at if one.is_escalated(now) else one.expires_at
    return due, one.id
