# Written by make_sync.py from _async/approvals.py: do not edit.
"""Approvals: people are asked, and the agent goes on with what they allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from stepback import answers, calls
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Repeatable
from stepback.waiting import pause

Class = Literal["read", "reversible", "compensable", "irreversible"]
Status = Literal["pending", "approved", "rejected", "expired", "decided"]


class Approvals(Resource):
    """Approvals: asked for, waited for, and the rules about them."""

    def request_approval(
        self,
        session_id: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        effect_class: Class | None = None,
        schema: Mapping[str, Any] | None = None,
        reason: str | None = None,
        depends_on: Sequence[str] | None = None,
        key: str | None = None,
        votes: int | None = None,
        who: Literal["operator", "admin"] | None = None,
        ttl_seconds: int | None = None,
        deadline: str | None = None,
        on_expiry: Literal["reject", "escalate"] | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Approval:
        """Ask people to allow this call; nothing waits until `wait_for_approval`.

        Asked again under its `key`, it is the same one.
        """
        body = given(
            tool=tool,
            arguments=dict(arguments),
            schema=schema,
            reason=reason,
            depends_on=None if depends_on is None else list(depends_on),
            key=key,
            votes=votes,
            who=who,
            ttl_seconds=ttl_seconds,
            deadline=deadline,
            on_expiry=on_expiry,
        ) | _class(effect_class)
        segments = ("sessions", session_id, "approvals")
        read = answers.Approval.of
        return self._send("POST", segments, body, read, idempotency_key)

    def get(self, approval_id: str, *, wait: int | None = None) -> answers.Approval:
        """Read an approval; with `wait`, once decided or those seconds are over."""
        return self._ask(answers.Approval.of, ("approvals", approval_id), wait=wait)

    def wait_for_approval(
        self, approval_id: str, *, seconds: float
    ) -> answers.Approval:
        """Wait for the outcome; after that time return it as it stands, pending.

        The process may end meanwhile: whoever knows the id waits on.
        """
        rounds = self._rounds(seconds)
        while True:
            found = self.get(approval_id, wait=rounds.begin())
            if not found.is_pending or rounds.is_over:
                return found
            pause(rounds.pause())

    def list(
        self,
        *,
        status: Status | None = None,
        agent_id: str | None = None,
        effect_class: Class | None = None,
        asked_after: str | None = None,
        asked_before: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Approval]:
        """List approvals: pending by their deadline, others the newest first."""
        return self._ask(
            page_of(answers.Approval.of),
            ("approvals",),
            status=status,
            agent_id=agent_id,
            asked_after=asked_after,
            asked_before=asked_before,
            limit=limit,
            starting_after=starting_after,
            **_class(effect_class),
        )

    def rules(self, agent: str) -> answers.Page[answers.ApprovalRule]:
        """List the rules of an agent, in the order in which they are asked."""
        return self._ask(
            page_of(answers.ApprovalRule.of), ("agents", agent, "approval-rules")
        )

    def create_rule(
        self,
        agent: str,
        *,
        tool: str | None = None,
        effect_class: Class | None = None,
        check: str | None = None,
        votes: int | None = None,
        who: Literal["operator", "admin"] | None = None,
        expires_in: int | None = None,
        on_expiry: Literal["reject", "escalate"] | None = None,
        idempotency_key: str | None = None,
    ) -> answers.ApprovalRule:
        """Hold what the agent asks to these terms; needs an administrator's key."""
        body = given(
            tool=tool,
            check=check,
            votes=votes,
            who=who,
            expires_in=expires_in,
            on_expiry=on_expiry,
        ) | _class(effect_class)
        segments = ("agents", agent, "approval-rules")
        read = answers.ApprovalRule.of
        return self._send("POST", segments, body, read, idempotency_key)

    def delete_rule(
        self, agent: str, rule_id: str, **once: Unpack[Repeatable]
    ) -> answers.ApprovalRule:
        """Remove a rule; needs an administrator's key."""
        segments = ("agents", agent, "approval-rules", rule_id)
        key = calls.key_in(once)
        return self._send("DELETE", segments, None, answers.ApprovalRule.of, key)


def _class(said: Class | None) -> dict[str, str]:
    return {} if said is None else {"class": said}
