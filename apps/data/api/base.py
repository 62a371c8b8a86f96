"""What the views of an agent's data and config have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property, partial
from hashlib import sha256
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response

from apps.accounts.access import Permission, require
from apps.accounts.operations import Redaction
from apps.agents.acts import Act
from apps.agents.api.answers import answered, is_answered
from apps.agents.api.base import AnchorView, caller_of, scope_of
from apps.core import json
from apps.core.http import idempotency_key, request_digest
from apps.core.http.openapi.schema import errors
from apps.core.provenance import Request
from apps.data.documents.deciding import Override

READ_ERRORS = errors(400, 401, 403, 404, 429, 503)
WRITE_ERRORS = errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
LIMIT = 100
MAXIMUM_LIMIT = 1000
# Rows before the offset are read and thrown away: deeper pages go by cursor.
MAXIMUM_OFFSET = 10_000
AGENT = OpenApiParameter(
    "agent",
    str,
    OpenApiParameter.PATH,
    description="Our id of the agent, or your name for it, if that has no slash.",
)
KEY = OpenApiParameter(
    "key", str, OpenApiParameter.PATH, description="The key; slashes may stand as `/`."
)
AT = OpenApiParameter(
    "at",
    int,
    description="The `number` of a version of the agent's data: as it was then.",
)
CURSOR = OpenApiParameter("cursor", str, description="`next_cursor` of a page.")


class DataView(AnchorView):
    """A view of one agent's data, for the caller of the key."""

    @cached_property
    def now(self) -> datetime:
        return timezone.now()

    @cached_property
    def act(self) -> Act:
        """The act of this request; ask for it once the body was read."""
        caller = caller_of(self.request)
        query = self.request.META.get("QUERY_STRING", "").encode()
        return Act(
            scope=scope_of(self.request),
            actor=caller.actor,
            now=self.now,
            api_key_id=caller.key_id,
            request=Request(
                id=self.request._request.request_id,  # type: ignore[attr-defined]
                key=idempotency_key(self.request),
                # What a deletion names may stand in the query.
                digest=sha256(request_digest(self.request) + query).digest(),
            ),
        )

    def perform(
        self,
        verb: Callable[[], dict[str, Any]],
        *,
        redaction: Redaction | None = None,
    ) -> Response:
        """Answer what a verb returns, done once for one idempotency key."""
        return answered(
            self.request,
            scope=self.act.scope,
            perform=partial(_written, verb),
            redaction=redaction,
        )

    def is_answered(self) -> bool:
        """Say whether this key has an answer, which `perform` repeats or refuses.

        For what is done before `perform` is called, as that does it in a transaction.

        Raises: what the request is refused for, if it has none.
        """
        return is_answered(self.request, scope=self.act.scope)

    def override_in(self, said: Mapping[str, Any]) -> Override | None:
        """Return the word of an administrator that policies are to block nothing.

        Raises: PermissionDenied for other keys: an agent's own decides nothing here.
        """
        reason = said.get("override_reason")
        if reason is None:
            return None
        caller = caller_of(self.request)
        require(caller, Permission.ADMIN, caller.project)
        return Override(reason=reason)


def _written(verb: Callable[[], dict[str, Any]]) -> tuple[int, bytes]:
    return 200, json.dumps(verb())
