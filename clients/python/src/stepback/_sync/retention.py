# Written by make_sync.py from _async/retention.py: do not edit.
"""Retention: what goes after which time, and what must stay. For administrators."""

from __future__ import annotations

from typing import Literal, Unpack

from stepback import answers, calls
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Repeatable

POLICIES = ("retention", "policies")


class Retention(Resource):
    """Policies, their previews and removals."""

    def make_policy(
        self,
        *,
        agent_id: str | None = None,
        thin_days: int | None = None,
        archive_days: int | None = None,
        empty_days: int | None = None,
        prune_days: int | None = None,
        remove_days: int | None = None,
        ended_days: int | None = None,
        keep_last: int | None = None,
        idempotency_key: str | None = None,
    ) -> answers.RetentionPolicy:
        """Say after how many days what goes; nothing goes before `enable`."""
        body = given(
            agent_id=agent_id,
            thin_days=thin_days,
            archive_days=archive_days,
            empty_days=empty_days,
            prune_days=prune_days,
            remove_days=remove_days,
            ended_days=ended_days,
            keep_last=keep_last,
        )
        read = answers.RetentionPolicy.of
        return self._send("POST", POLICIES, body, read, idempotency_key)

    def policy(self, policy_id: str) -> answers.RetentionPolicy:
        """Read a policy."""
        return self._ask(answers.RetentionPolicy.of, (*POLICIES, policy_id))

    def policies(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.RetentionPolicy]:
        """List policies, newest first, those that are not enabled too."""
        return self._ask(
            page_of(answers.RetentionPolicy.of),
            POLICIES,
            limit=limit,
            starting_after=starting_after,
        )

    def ask_preview(
        self, policy_id: str, **once: Unpack[Repeatable]
    ) -> answers.RetentionPreview:
        """Have it counted what a policy would take; `preview` tells how far it is."""
        body, key = {"policy_id": policy_id}, calls.key_in(once)
        segments, read = ("retention", "previews"), answers.RetentionPreview.of
        return self._send("POST", segments, body, read, key)

    def preview(self, preview_id: str) -> answers.RetentionPreview:
        """Read a preview: counted once it `is_ready`."""
        segments = ("retention", "previews", preview_id)
        return self._ask(answers.RetentionPreview.of, segments)

    def previews(
        self,
        *,
        policy_id: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.RetentionPreview]:
        """List previews, newest first."""
        return self._ask(
            page_of(answers.RetentionPreview.of),
            ("retention", "previews"),
            policy_id=policy_id,
            limit=limit,
            starting_after=starting_after,
        )

    def enable(
        self, policy_id: str, preview_id: str, **once: Unpack[Repeatable]
    ) -> answers.RetentionPolicy:
        """Have the hourly sweep run a policy, with a preview that is not a day old."""
        segments, body = (*POLICIES, policy_id, "enable"), {"preview_id": preview_id}
        read, key = answers.RetentionPolicy.of, calls.key_in(once)
        return self._send("POST", segments, body, read, key)

    def disable(
        self, policy_id: str, **once: Unpack[Repeatable]
    ) -> answers.RetentionPolicy:
        """Have nothing go by a policy any more."""
        segments, key = (*POLICIES, policy_id, "disable"), calls.key_in(once)
        read = answers.RetentionPolicy.of
        return self._send("POST", segments, None, read, key)

    def removal(self, removal_id: str) -> answers.RetentionRemoval:
        """Read a removal: what has gone, and what stayed."""
        segments = ("retention", "removals", removal_id)
        return self._ask(answers.RetentionRemoval.of, segments)

    def removals(
        self,
        *,
        policy_id: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.RetentionRemoval]:
        """List what sweeps have taken, newest first."""
        return self._ask(
            page_of(answers.RetentionRemoval.of),
            ("retention", "removals"),
            policy_id=policy_id,
            limit=limit,
            starting_after=starting_after,
        )


class LegalHolds(Resource):
    """What must not go, whatever a policy says."""

    def set(
        self,
        kind: Literal["session", "user", "agent", "project"],
        value: str | None = None,
        *,
        reason: str,
        until: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.LegalHold:
        """Keep a session, a person's, an agent's or, without a value, all of them."""
        body = given(kind=kind, value=value, reason=reason, until=until)
        segments, read = ("retention", "legal-holds"), answers.LegalHold.of
        return self._send("POST", segments, body, read, idempotency_key)

    def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.LegalHold]:
        """List legal holds, newest first, those that are over too."""
        return self._ask(
            page_of(answers.LegalHold.of),
            ("retention", "legal-holds"),
            limit=limit,
            starting_after=starting_after,
        )

    def end(
        self, hold_id: str, *, reason: str, idempotency_key: str | None = None
    ) -> answers.LegalHold:
        """End a legal hold: what it named may go again."""
        segments = ("retention", "legal-holds", hold_id, "end")
        body, read = {"reason": reason}, answers.LegalHold.of
        return self._send("POST", segments, body, read, idempotency_key)
