"""What every view of the timeline needs of a request, said once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, cast

from django.utils import timezone
from rest_framework.response import Response

from apps.accounts.access import Caller
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core.http import (
    ApiView,
    idempotency_key,
    if_match,
    request_digest,
)
from apps.core.provenance import Request
from apps.timeline import hooks
from apps.timeline.api import parameters
from apps.timeline.errors import SessionNotFound
from apps.timeline.ledger.drafts import ANY_HEAD, Expected, Receipt
from apps.timeline.models import Session
from apps.timeline.versions import fetching, heads, reading

REPLAYED = "Idempotent-Replayed"


class TimelineView(ApiView):
    """A view of one project's timeline, for the caller of the key."""

    @property
    def caller(self) -> Caller:
        return cast(Caller, self.request.auth)

    @cached_property
    def scope(self) -> Scope:
        caller = self.caller
        return Scope(caller.project, caller.agents)

    @cached_property
    def now(self) -> datetime:
        return timezone.now()

    @cached_property
    def act(self) -> Act:
        """The act of this request; ask for it once the body was read.

        A fault of the body travels in it, to be raised unless this is a repetition.
        """
        caller = self.caller
        return Act(
            scope=self.scope,
            actor=caller.actor,
            now=self.now,
            api_key_id=caller.key_id,
            request=Request(
                id=self.request._request.request_id,  # type: ignore[attr-defined]
                key=idempotency_key(self.request),
                digest=request_digest(self.request),
                fault=self.fault,
            ),
        )

    def expected(self, named: int | None) -> Expected:
        """Return which head the caller saw: `If-Match` outranks the JSON field.

        Raises: InvalidRequest for an `on_conflict` that says nothing.
        """
        tag = if_match(self.request)
        from_header = isinstance(tag, int)
        seen = tag if isinstance(tag, int) else named
        else_fork = False
        if "on_conflict" in self.request.query_params:
            else_fork = parameters.else_fork_of(self.request, seen)
        if seen is None:
            return ANY_HEAD
        return Expected(number=seen, from_header=from_header, else_fork=else_fork)

    def session(self, session_id: str) -> Session:
        """Return the session as agents see it.

        Raises: SessionNotFound.
        """
        found = (
            Session.objects.of_project(self.scope.project.id)
            .of_agents(self.scope.agents)
            .alive(now=self.now)
            .newest_first()
            .filter(id=session_id)
            .first()
        )
        if found is None:
            raise SessionNotFound
        return found

    def memory_counts(self, session_ids: Sequence[str]) -> Mapping[str, int]:
        """Return how many memories sessions have; who is left out has none."""
        return hooks.memory_counts(self.scope.project.id, session_ids, now=self.now)

    def version(self, session_id: str, number: int | None) -> reading.VersionRow:
        return fetching.version(self.scope, session_id, number, now=self.now)

    def shown(self, session_id: str, number: int | None) -> reading.VersionRow:
        """As `version`, for an answer with its state and the last rollback."""
        return heads.shown(self.scope, session_id, number, now=self.now)

    def answer(
        self, body: Any, receipt: Receipt, number: int | None = None, status: int = 200
    ) -> Response:
        """Answer a write; a replay says that it is one."""
        headers = {REPLAYED: "true"} if receipt.is_replay else {}
        if number is not None:
            headers["ETag"] = f'"v{number}"'
        return Response(body, status=status, headers=headers)
