"""Voting: people alone, signed in; the vote that ends it writes the version `decide`.

Votes on one session come one after another by its lock, so of two at once one sees the
other, and there is one outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from apps.accounts.access import require_still
from apps.agents.acts import Act
from apps.approvals.authority import may_decide, require_person, still_may
from apps.approvals.covered import VOTE
from apps.approvals.errors import (
    AlreadyVoted,
    ApprovalClosed,
    ApprovalOutdated,
    UnacceptableApproval,
)
from apps.approvals.hooks.deciding import Decided, hold, tell
from apps.approvals.models import Approval, Undecided, Vote
from apps.approvals.operations.asking import MAX_BYTES, told_of
from apps.approvals.requests.binding import Ground, arguments_of, rested, still_bound
from apps.approvals.requests.schemas import require_passing
from apps.approvals.standing import Standing, ended_by, standing
from apps.approvals.words import Status, Verdict
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import json
from apps.core.actors import Actor
from apps.core.errors import PermissionDenied
from apps.core.json import Json
from apps.diffs.equality import same
from apps.timeline import operations as timeline
from apps.timeline.operations import Step
from apps.timeline.versions import VersionRow, head_of, versions_at

MAX_COMMENT = 2_000
# Which votes people give.
GIVEN = (Verdict.APPROVE, Verdict.REJECT)
DECIDED = (Status.APPROVED, Status.REJECTED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A person's vote; `arguments` are what may be done in place of what was asked."""

    verdict: Verdict
    comment: str | None = None
    arguments: dict[str, Json] | None = None

    def require(self) -> None:
        """Raises: UnacceptableApproval, UnacceptableJson."""
        comment = self.comment or ""
        if len(comment) > MAX_COMMENT or "\0" in comment:
            raise UnacceptableApproval(
                f"A comment has at most {MAX_COMMENT:,} characters.", param="comment"
            )
        if self.arguments is None:
            return
        if self.verdict is not Verdict.APPROVE:
            raise UnacceptableApproval(
                "Only what is approved has other arguments.", param="arguments"
            )
        json.check(dict(self.arguments), at="/arguments")
        if len(json.dumps(self.arguments)) > MAX_BYTES:
            raise UnacceptableApproval(
                f"arguments take at most {MAX_BYTES:,} bytes.", param="arguments"
            )


def vote(*, act: Act, approval_id: str, said: Said) -> Vote:
    """Give a person's vote; with enough of them it is decided, and there is a version.

    A vote that comes after people have decided is kept beside, and refused as closed.

    Raises: PermissionDenied, ApprovalNotFound, SessionNotFound, AlreadyVoted,
    ApprovalClosed, ApprovalOutdated, UnacceptableApproval, UnacceptableArguments,
    UnacceptableJson.
    """
    require_person(act.actor)
    said.require()
    approval = Approval.objects.visible_to(act.scope).one(approval_id)
    head_of(act.scope, approval.session_id, now=act.now)
    given = _given(act, approval, said)
    if given.is_late:
        raise closed(approval, Vote.objects.of(approval.session_id, approval.id))
    return given


def closed(approval: Approval, votes: Sequence[Vote]) -> ApprovalClosed:
    """Return the refusal of a vote on what people have decided."""
    ended = ended_by(votes)
    outcome = ended.outcome if ended is not None else Status.VOIDED
    return ApprovalClosed(approval_id=approval.id, outcome=str(outcome))


@transaction.atomic
def _given(act: Act, approval: Approval, said: Said) -> Vote:
    head = timeline.lock_head(act=act, session_id=approval.session_id)
    votes = Vote.objects.of(approval.session_id, approval.id)
    require_still(act.actor, may_decide(approval, act), act.project)
    stands = standing(approval, votes, head=head, now=act.now)
    if any(_is_by(one, act.actor) for one in votes):
        raise AlreadyVoted(approval_id=approval.id)
    given = _row(act, approval, votes, said)
    if not stands.is_pending:
        if stands.status not in DECIDED:
            raise ApprovalClosed(approval_id=approval.id, outcome=stands.status.value)
        given.is_late = True
        _noted(act, approval, given)
        return given
    if said.verdict is Verdict.APPROVE:
        _require_approvable(act, approval, head, said)
    given.outcome = _outcome(act, approval, stands, given)
    if given.outcome is None:
        _noted(act, approval, given)
    else:
        conclude(act, approval, given, head)
    return given


def _require_approvable(
    act: Act, approval: Approval, head: VersionRow, said: Said
) -> None:
    """Raises: PermissionDenied, UnacceptableArguments, ApprovalOutdated."""
    is_mine = (
        approval.actor_kind == act.actor.kind and approval.actor_id == act.actor.id
    )
    if approval.votes > 1 and is_mine:
        raise PermissionDenied("Where two people decide, who asked is none of them.")
    if said.arguments is not None:
        schema = approval.schema
        require_passing(
            None if schema is None else json.parse_object(bytes(schema)),
            said.arguments,
        )
    ground = Ground(head)
    if not still_bound(approval, act.project, ground):
        found = versions_at(approval.session_id, [approval.number])
        # What it was asked with may have gone since: then nobody can say what changed.
        there = [one for one in found if not one.is_emptied]
        depends = [
            place for then in there for place in rested(approval, Ground(then), ground)
        ]
        changed: list[Any] = [one.pointer for one in depends if one.has_changed]
        raise ApprovalOutdated(approval_id=approval.id, changed=changed)


def _outcome(
    act: Act, approval: Approval, stands: Standing, given: Vote
) -> Status | None:
    """Return what this vote decides: a rejection at once, an approval with enough.

    Counted are the votes of those who may still decide, for the same arguments.
    """
    if given.verdict == Verdict.REJECT:
        return Status.REJECTED
    agreed = [
        one
        for one in stands.votes
        if one.verdict == Verdict.APPROVE
        and still_may(one, approval, act)
        and same(_meant(one, approval), _meant(given, approval))
    ]
    return Status.APPROVED if len(agreed) + 1 >= approval.votes else None


def _meant(vote: Vote, approval: Approval) -> dict[str, Any]:
    """Return the arguments that a vote allows."""
    if vote.arguments is None:
        return arguments_of(approval)
    return json.parse_object(bytes(vote.arguments))


def _row(act: Act, approval: Approval, votes: Sequence[Vote], said: Said) -> Vote:
    comment = (said.comment or "").strip() or None
    return Vote(
        session_id=approval.session_id,
        approval_id=approval.id,
        ordinal=len(votes) + 1,
        project_id=approval.project_id,
        agent_id=approval.agent_id,
        verdict=said.verdict,
        comment=comment,
        arguments=None if said.arguments is None else json.dumps(said.arguments),
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )


def conclude(act: Act, approval: Approval, ending: Vote, head: VersionRow) -> None:
    """Write the outcome as a version, and the row with it; under the lock."""
    ending.number = head.number + 1
    decided = Decided(
        act=act,
        session_id=approval.session_id,
        approval_id=approval.id,
        tool=approval.tool,
        outcome=str(ending.outcome),
        arguments=_meant(ending, approval),
    )
    hold(decided)
    others = Undecided.objects.of_session(approval.session_id)
    timeline.decide(
        act=act,
        session_id=approval.session_id,
        step=Step(),
        details={**told_of(approval), "outcome": ending.outcome},
        kept=VOTE.left(ending, act.project.index_key).details(),
        outcome=str(ending.outcome),
        still_waits=others.exclude(approval_id=approval.id).exists(),
    )
    ending.save(force_insert=True)
    others.filter(approval_id=approval.id).delete()
    tell(decided)


def _noted(act: Act, approval: Approval, given: Vote) -> None:
    """Keep a vote that decides nothing."""
    given.save(force_insert=True)
    audit.record_act(
        stream_id=approval.session_id,
        project_id=approval.project_id,
        action=Action.APPROVAL_VOTED,
        resource_type="approval",
        resource_id=approval.session_id,
        act=act,
        details={**told_of(approval), "is_late": given.is_late}
        | VOTE.left(given, act.project.index_key).details(),
        number=approval.number,
    )


def _is_by(vote: Vote, actor: Actor) -> bool:
    return (vote.actor_kind, vote.actor_id) == (actor.kind.value, actor.id)
