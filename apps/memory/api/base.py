"""What the views of memories have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from hashlib import sha256
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response

from apps.accounts.access import Permission, may
from apps.agents.acts import Act
from apps.agents.api.answers import answered
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http import idempotency_key, request_digest
from apps.core.http.openapi.schema import errors
from apps.core.provenance import Request
from apps.memory.documents.owners import Place
from apps.timeline.api import parameters
from apps.timeline.api.base import TimelineView

READ_ERRORS = errors(400, 401, 403, 404, 429, 503)
WRITE_ERRORS = errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
LIMIT, MAXIMUM_LIMIT = 20, 100
FOUND, MOST_FOUND = 10, 50
MEMORY = OpenApiParameter(
    "memory_id", str, OpenApiParameter.PATH, description="The memory's id."
)
SESSION = OpenApiParameter(
    "session_id", str, OpenApiParameter.PATH, description="The session's id."
)
OF_WHOM = [
    parameters.text(
        "session_id", "The session's memories, its user's, its agent's, the project's."
    ),
    parameters.text("user_id", "The user's memories, and the project's."),
    parameters.text("agent_id", "The agent's memories, and the project's."),
    parameters.text("scope", "session, user, agent or project: of that alone."),
]
WHICH = [
    parameters.text("type", "Memories of this type."),
    parameters.text("types", "Memories of one of these types, by commas."),
    parameters.text("tags", "Memories with one of these tags, by commas."),
]


class MemoryView(TimelineView):
    """A view of memories, for the caller of the key."""

    @cached_property
    def act(self) -> Act:
        """The act of this request; ask for it once the body was read."""
        query = self.request.META.get("QUERY_STRING", "").encode()
        path = self.request.path.encode()
        return Act(
            scope=self.scope,
            actor=self.caller.actor,
            now=self.now,
            api_key_id=self.caller.key_id,
            request=Request(
                id=self.request._request.request_id,  # type: ignore[attr-defined]
                key=idempotency_key(self.request),
                # What a deletion names stands in the path.
                digest=sha256(request_digest(self.request) + path + query).digest(),
            ),
        )

    @property
    def is_administrators(self) -> bool:
        """Say whether the key is an administrator's, which decides as people do."""
        return may(self.caller, Permission.ADMIN, self.caller.project)

    def perform(
        self, verb: Callable[[], dict[str, Any] | None], status: int = 200
    ) -> Response:
        """Answer what a verb returns, done once for one idempotency key."""
        return answered(
            self.request,
            scope=self.scope,
            perform=partial(_written, verb, status),
        )

    def place(self, session_id: str | None = None) -> Place:
        """Return whose memories the query names."""
        named = {
            name: paging.text_of(self.request, name) or None
            for name in ("session_id", "user_id", "agent_id", "scope")
        }
        return Place(**(named | ({"session_id": session_id} if session_id else {})))

    def several(self, *names: str) -> tuple[str, ...]:
        """Return what stands under these parameters, between commas."""
        said = (paging.text_of(self.request, name) or "" for name in names)
        found = (one.strip() for text in said for one in text.split(","))
        return tuple(dict.fromkeys(one for one in found if one))

    def number(self, default: int, most: int) -> int:
        """Return how many are asked for, by either of two names.

        Raises: InvalidRequest where they say two things.
        """
        said = {
            paging.integer_of(self.request, name, minimum=1, maximum=most)
            for name in ("limit", "top_k")
        } - {None}
        if len(said) > 1:
            raise InvalidRequest("limit and top_k say two things.", param="top_k")
        return said.pop() or default if said else default


def _written(
    verb: Callable[[], dict[str, Any] | None], status: int
) -> tuple[int, bytes]:
    said = verb()
    return status, b"" if said is None else json.dumps(said)
