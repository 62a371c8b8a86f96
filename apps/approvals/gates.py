"""What the timeline asks before an effect begins, and before an agent steps back.

Both run under the session's row lock. An effect that a rule means waits for an approval
under its own key, and so does one for which the agent has asked under that key itself;
once it is granted, the arguments that people allowed may begin, and no others. A
rollback by an agent is refused until it was allowed: what a gate refuses with is not
written, so the agent asks itself. So it is with putting an effect right, and with a
plan on the sessions of an agent that has such a rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from apps.agents.acts import Act
from apps.approvals.errors import (
    ApprovalClosed,
    ApprovalNeeded,
    ApprovalOutdated,
    UnacceptableArguments,
)
from apps.approvals.models import Approval, Vote
from apps.approvals.operations.asking import Asked, ask
from apps.approvals.operations.ruling import rule_for
from apps.approvals.outcomes import allowed_arguments, approval_object
from apps.approvals.requests.binding import Ground, still_bound
from apps.approvals.standing import Standing, standing
from apps.approvals.words import Class, Status
from apps.core import sql
from apps.diffs.equality import same
from apps.timeline.hooks import (
    BeginAsked,
    CompensationAsked,
    MergeAsked,
    PlanAsked,
    RollbackAsked,
)
from apps.timeline.models import Version
from apps.timeline.versions import head_of

ROLLBACK, COMPENSATION, PLAN = "rollback", "compensation", "plan"
PROMOTE = "promote"
# The newest approvals that are looked at for a rollback, and for its like.
LOOKED_AT = 20
_CONCERNED = sql.PreparedQuery(
    sql.of_session("""
SELECT EXISTS (SELECT FROM approvals_approval a
                WHERE a.session_id = %(session)s AND a.key = %(key)s
                  AND a.replaces IS NULL)
    OR EXISTS (SELECT FROM approvals_approvalrule r
                WHERE r.project_id = %(project)s) AS is_so
""")
)


def concerns_effect(act: Act, session_id: str, key: str) -> bool:
    """Say whether somebody was asked under this key, or a rule may mean it."""
    asked = {"session": session_id, "key": key, "project": act.project_id}
    (row,) = sql.run_prepared(_CONCERNED, asked)
    return bool(row.is_so)


def before_effect(asked: BeginAsked) -> Mapping[str, Any] | None:
    """Return the approval that an effect waits for; None lets it begin.

    Raises: ApprovalClosed where it was not granted, ApprovalOutdated where what it
    rests on has changed, UnacceptableArguments for others than were allowed.
    """
    wanted = Asked(
        tool=asked.tool,
        arguments=asked.arguments,
        effect_class=Class(asked.effect_class),
        key=asked.key,
    )
    known = _known(asked)
    if known is None:
        if rule_for(asked.act.project_id, asked.agent_id, wanted) is None:
            return None
        return _asked(asked, wanted)
    stands = _standing(asked.act, known)
    if stands.is_pending:
        return approval_object(known, stands)
    if stands.status != Status.APPROVED:
        raise ApprovalClosed(approval_id=known.id, outcome=stands.status.value)
    _require_allowed(asked, known, stands)
    return None


def before_rollback(asked: RollbackAsked) -> None:
    """Refuse an agent's rollback that a rule means, unless people allowed it.

    Raises: ApprovalNeeded.
    """
    wanted = Asked(
        tool=ROLLBACK, arguments={"to": asked.to}, effect_class=Class.REVERSIBLE
    )
    _require_asked(asked, wanted)


def before_merge(asked: MergeAsked) -> None:
    """Refuse an agent's promotion, revert or the like, unless people allowed it.

    What goes back in the session's own history is meant by a rule about rollbacks as
    well: else it would be the way around that.

    Raises: ApprovalNeeded.
    """
    if not asked.act.actor.is_agent:
        return
    wanted = Asked(
        tool=asked.op,
        arguments=dict(asked.arguments),
        effect_class=Class.REVERSIBLE,
    )
    kinds = [wanted]
    if asked.op != PROMOTE:
        kinds.append(replace(wanted, tool=ROLLBACK))
    rules = (rule_for(asked.act.project_id, asked.agent_id, one) for one in kinds)
    if any(rule is not None for rule in rules):
        _require_among(asked.act, _unused(asked), wanted)


def before_compensation(asked: CompensationAsked) -> None:
    """Refuse that an agent has an effect put right, unless people allowed it.

    Raises: ApprovalNeeded.
    """
    wanted = Asked(
        tool=COMPENSATION,
        arguments={"effect_id": asked.effect_id},
        effect_class=Class.IRREVERSIBLE,
    )
    _require_asked(asked, wanted)


def before_plan(asked: PlanAsked) -> None:
    """Refuse an agent's plan that a rule of one of its agents means, unless allowed.

    It may be asked for in any session of that agent.

    Raises: ApprovalNeeded.
    """
    if not asked.act.actor.is_agent:
        return
    arguments: dict[str, Any] = {"plan": asked.plan_id, "kind": asked.kind}
    if asked.digest is not None:
        # What was allowed is what its items said: others are another plan.
        arguments |= {"digest": asked.digest, "sessions": asked.sessions}
    wanted = Asked(tool=PLAN, arguments=arguments, effect_class=Class.COMPENSABLE)
    for agent_id in sorted(asked.agent_ids()):
        if rule_for(asked.act.project_id, agent_id, wanted) is not None:
            _require_among(asked.act, _asked_for_plans(asked.act, agent_id), wanted)


def _require_asked(asked: RollbackAsked | CompensationAsked, wanted: Asked) -> None:
    """Raises: ApprovalNeeded where a rule means this and nobody allowed it."""
    if not asked.act.actor.is_agent:
        return
    if rule_for(asked.act.project_id, asked.agent_id, wanted) is None:
        return
    newest = _newest_asked(asked.session_id, wanted.tool)
    _require_among(asked.act, newest, wanted)


def _unused(asked: MergeAsked) -> list[Approval]:
    """Return approvals of it that nothing was done with: each allows one act.

    A rollback sets its own approval aside, which a merge does not.
    """
    done = Version.objects.filter(
        session_id=asked.session_id, source_session_id__isnull=False, op=asked.op
    )
    last = done.order_by("-number").values_list("number", flat=True).first()
    newest = _newest_asked(asked.session_id, asked.op)
    return [one for one in newest if last is None or one.number > last]


def _newest_asked(session_id: str, tool: str) -> Iterable[Approval]:
    mine = Approval.objects.of_session(session_id).filter(tool=tool)
    return mine.select_related("agent").order_by("-number")[:LOOKED_AT]


def _require_among(act: Act, approvals: Iterable[Approval], wanted: Asked) -> None:
    for one in approvals:
        stands = _standing(act, one)
        if stands.status == Status.APPROVED and same(
            allowed_arguments(one, stands), wanted.arguments
        ):
            return
    raise ApprovalNeeded(tool=wanted.tool, arguments=wanted.arguments)


def _asked_for_plans(act: Act, agent_id: str) -> list[Approval]:
    """Return the newest that ask for plans in the sessions of an agent."""
    mine = Approval.objects.filter(
        project_id=act.project_id, agent_id=agent_id, tool=PLAN
    )
    return list(mine.newest_first(before=None)[:LOOKED_AT])


def _asked(asked: BeginAsked, wanted: Asked) -> Mapping[str, Any]:
    # The request's key is that of the begin, which is not done by this.
    keyless = replace(asked.act.request, key=None)
    act = replace(asked.act, request=keyless)
    approval = ask(act=act, session_id=asked.session_id, asked=wanted)
    found = Approval.objects.of_session(asked.session_id).one(approval.id)
    return approval_object(found, _standing(act, found))


def _known(asked: BeginAsked) -> Approval | None:
    mine = Approval.objects.of_session(asked.session_id).select_related("agent")
    return mine.filter(key=asked.key).order_by("-number").first()


def _standing(act: Act, approval: Approval) -> Standing:
    head = head_of(act.scope, approval.session_id, now=act.now)
    votes = Vote.objects.of(approval.session_id, approval.id)
    return standing(approval, votes, head=head, now=act.now)


def _require_allowed(asked: BeginAsked, known: Approval, stands: Standing) -> None:
    allowed = allowed_arguments(known, stands)
    if known.tool != asked.tool or not same(allowed, asked.arguments):
        raise UnacceptableArguments(
            "People allowed other arguments, which are in the approval's outcome.",
            param="arguments",
        )
    head = head_of(asked.act.scope, asked.session_id, now=asked.act.now)
    if not still_bound(known, asked.act.project, Ground(head)):
        raise ApprovalOutdated(approval_id=known.id)
