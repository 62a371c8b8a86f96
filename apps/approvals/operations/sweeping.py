"""The sweep: hand to administrators what nobody decided in time, and end it.

Each is one transaction under the session's lock, so it is done once, however late the
sweep is and however many there are. What is set aside at that moment waits no more.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from django.db import transaction

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.approvals.covered import VOTE
from apps.approvals.models import Approval, Undecided, Vote
from apps.approvals.operations.asking import told_of
from apps.approvals.operations.deciding import conclude
from apps.approvals.standing import standing
from apps.approvals.words import Status, Verdict
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import Actor
from apps.core.ids import new_id
from apps.core.provenance import Request
from apps.timeline import operations as timeline
from apps.timeline.errors import SessionNotFound
from apps.timeline.versions import VersionRow

# Approvals of one sweep; the next one finds what is left.
AT_ONCE = 200


def sweep(*, actor: Actor, now: datetime) -> int:
    """Do what is due, the oldest first; return how many were looked at."""
    due = Undecided.objects.due(now)
    found = list(due.values_list("session_id", "approval_id")[:AT_ONCE])
    for session_id, approval_id in found:
        approval = Approval.objects.of_session(session_id).one(approval_id)
        _settle(_act(approval, actor, now), approval)
    return len(found)


@transaction.atomic
def _settle(act: Act, approval: Approval) -> None:
    head: VersionRow | None = None
    # A session that is over has no head that anybody sees.
    with suppress(SessionNotFound):
        head = timeline.lock_head(act=act, session_id=approval.session_id)
    mine = Undecided.objects.of_session(approval.session_id)
    mine = mine.filter(approval_id=approval.id, due_at__lte=act.now)
    if not mine.exists():
        return
    votes = Vote.objects.of(approval.session_id, approval.id)
    stands = standing(approval, votes, head=head, now=act.now)
    if stands.is_pending:
        mine.update(due_at=approval.ends_at)
        _escalate(act, approval, votes)
    elif stands.status == Status.EXPIRED and head is not None:
        _expire(act, approval, votes, head)
    elif head is not None and act.now < approval.ends_at:
        # Void: nobody has to be told. An undo may bring it back to administrators.
        mine.update(due_at=approval.ends_at)
    else:
        mine.delete()


def _escalate(act: Act, approval: Approval, votes: list[Vote]) -> None:
    handed = _row(act, approval, votes, Verdict.ESCALATE)
    handed.save(force_insert=True)
    told = told_of(approval)
    audit.record(
        stream_id=approval.session_id,
        project_id=approval.project_id,
        action=Action.SESSION_ESCALATED,
        resource_type="session",
        resource_id=approval.session_id,
        act=act,
        details=told,
        number=approval.number,
    )
    audit.record_act(
        stream_id=approval.session_id,
        project_id=approval.project_id,
        action=Action.APPROVAL_ESCALATED,
        resource_type="approval",
        resource_id=approval.session_id,
        act=act,
        details=told | VOTE.left(handed, act.project.index_key).details(),
        number=approval.number,
    )


def _expire(act: Act, approval: Approval, votes: list[Vote], head: VersionRow) -> None:
    ending = _row(act, approval, votes, Verdict.EXPIRE)
    ending.outcome = Status.EXPIRED
    conclude(act, approval, ending, head)


def _row(act: Act, approval: Approval, votes: list[Vote], verdict: Verdict) -> Vote:
    return Vote(
        session_id=approval.session_id,
        approval_id=approval.id,
        ordinal=len(votes) + 1,
        project_id=approval.project_id,
        agent_id=approval.agent_id,
        verdict=verdict,
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )


def _act(approval: Approval, actor: Actor, now: datetime) -> Act:
    project = Project.objects.get(id=approval.project_id)
    request = Request(id=new_id("req", now=now))
    return Act(scope=Scope(project), actor=actor, now=now, request=request)
