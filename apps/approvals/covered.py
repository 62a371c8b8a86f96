"""The rows that records cover: what was asked, each vote, and the rules.

So a request that was changed behind the product's back, or a vote that nobody gave, is
found by whoever verifies.
"""

from __future__ import annotations

from apps.audit.covered import Covered

_BY = ("actor_kind", "actor_id", "actor_label", "created_at")


def _approval_named(key: str) -> str:
    session_id, _, approval_id = key.partition(" ")
    return f"approval {approval_id} in {session_id}"


def _vote_named(key: str) -> str:
    session_id, approval_id, ordinal = [*key.split(" ", 2), "", ""][:3]
    return f"vote {ordinal} on approval {approval_id} in {session_id}"


APPROVAL = Covered(
    kind="approval",
    columns=(
        *("number", "tool", "effect_class", "arguments", "schema", "reason"),
        *("depends_on", "binding"),
        *("votes", "who", "expires_at", "on_expiry", "rule_id", *_BY),
        *("replaces", "changes"),
    ),
    key=lambda approval: f"{approval.session_id} {approval.id}",
    named=_approval_named,
    of_session=True,
    present="""
    SELECT a.session_id || ' ' || a.id AS key, a.created_at AS made_at, a.number,
           a.tool, a.effect_class, a.arguments, a.schema, a.reason, a.depends_on,
           a.binding, a.votes,
           a.who, a.expires_at, a.on_expiry, a.rule_id, a.actor_kind, a.actor_id,
           a.actor_label, a.created_at, a.replaces, a.changes
      FROM approvals_approval a
     WHERE a.project_id = %(project)s
       AND (%(session)s::text IS NULL OR a.session_id = %(session)s)
    """,
)
VOTE = Covered(
    kind="vote",
    columns=("verdict", "is_late", "comment", "arguments", "outcome", "number", *_BY),
    key=lambda vote: f"{vote.session_id} {vote.approval_id} {vote.ordinal}",
    named=_vote_named,
    of_session=True,
    present="""
    SELECT v.session_id || ' ' || v.approval_id || ' ' || v.ordinal AS key,
           v.created_at AS made_at, v.verdict, v.is_late, v.comment, v.arguments,
           v.outcome, v.number, v.actor_kind, v.actor_id, v.actor_label, v.created_at
      FROM approvals_vote v
     WHERE v.project_id = %(project)s
       AND (%(session)s::text IS NULL OR v.session_id = %(session)s)
    """,
)
RULE = Covered(
    kind="approval rule",
    columns=(
        *("agent_id", "tool", "effect_class", "check_text", "votes", "who"),
        *("expires_in", "on_expiry", *_BY),
    ),
    key=lambda rule: str(rule.id),
    named=lambda key: f"rule of approvals {key}",
    present="""
    SELECT r.id AS key, r.created_at AS made_at, r.agent_id, r.tool, r.effect_class,
           r.check_text, r.votes, r.who, r.expires_in, r.on_expiry, r.actor_kind,
           r.actor_id, r.actor_label, r.created_at
      FROM approvals_approvalrule r
     WHERE r.project_id = %(project)s
    """,
)
