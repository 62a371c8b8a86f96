# Written by make_sync.py from _async/guards.py: do not edit.
"""Guards of agents: what their writes are held to, tried before it does anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from stepback import answers
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import given

Kind = Literal[
    "schema",
    "check",
    "loop",
    "context_overflow",
    "null_spree",
    "unverified",
    "failing_tools",
    "permission_denied",
    "low_confidence",
    "confirmation",
]
Mode = Literal["observe", "flag", "refuse", "hold", "step_back", "ask"]


class Guards(Resource):
    """What agents' writes are held to; who changes guards administers."""

    def create(
        self,
        agent_id: str,
        name: str,
        kind: Kind,
        rule: Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> answers.Guard:
        """Have an agent's writes looked at from now on; at first it only observes.

        `rule` is what its kind takes, as `{"check": "state.total<=1500"}`.
        """
        body = given(
            agent_id=agent_id,
            name=name,
            kind=kind,
            rule=None if rule is None else dict(rule),
        )
        read = answers.Guard.of
        return self._send("POST", ("guards",), body, read, idempotency_key)

    def get(self, guard_id: str) -> answers.Guard:
        """Read a guard, with the newest trial of its revision."""
        return self._ask(answers.Guard.of, ("guards", guard_id))

    def list(
        self,
        *,
        agent_id: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Guard]:
        """List guards that hold, the newest first."""
        return self._ask(
            page_of(answers.Guard.of),
            ("guards",),
            agent_id=agent_id,
            limit=limit,
            starting_after=starting_after,
        )

    def change(
        self,
        guard_id: str,
        *,
        name: str | None = None,
        rule: Mapping[str, Any] | None = None,
        mode: Mode | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Guard:
        """Give it another name, rule or mode.

        Another rule is a new revision, which observes until it was tried to the end.
        """
        body = given(name=name, rule=None if rule is None else dict(rule), mode=mode)
        segments, read = ("guards", guard_id), answers.Guard.of
        return self._send("PATCH", segments, body, read, idempotency_key)

    def withdraw(
        self, guard_id: str, *, idempotency_key: str | None = None
    ) -> answers.Guard:
        """Look for it no more; its verdicts stay."""
        segments, read = ("guards", guard_id), answers.Guard.of
        return self._send("DELETE", segments, None, read, idempotency_key)

    def start_trial(
        self,
        guard_id: str,
        *,
        days: int | None = None,
        idempotency_key: str | None = None,
    ) -> answers.GuardTrial:
        """Have it held against what was written in the last days, 7 if not said.

        The worker does it, and writes nothing to any session.
        """
        segments, read = ("guards", guard_id, "try"), answers.GuardTrial.of
        body = given(days=days)
        return self._send("POST", segments, body, read, idempotency_key)

    def get_trial(self, guard_id: str, trial_id: str) -> answers.GuardTrial:
        """Read how far a trial is, and what it has found until now."""
        segments = ("guards", guard_id, "try", trial_id)
        return self._ask(answers.GuardTrial.of, segments)

    def list_verdicts(
        self,
        session_id: str,
        *,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.GuardVerdict]:
        """List what guards said of a session's writes, the newest first.

        Of what was `refused` nothing is stored: its version is the one that it would
        have made.
        """
        return self._ask(
            page_of(answers.GuardVerdict.of),
            ("sessions", session_id, "verdicts"),
            limit=limit,
            starting_after=starting_after,
        )

    def list_guard_verdicts(
        self,
        guard_id: str,
        *,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.GuardVerdict]:
        """List what a guard said in all sessions, and what it refused; newest first."""
        return self._ask(
            page_of(answers.GuardVerdict.of),
            ("guards", guard_id, "verdicts"),
            limit=limit,
            starting_after=starting_after,
        )
