"""Memories of one session over REST: what it has taught, and what it can see."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY
from apps.memory.api import outputs
from apps.memory.api.base import OF_WHOM, READ_ERRORS, SESSION, WHICH, WRITE_ERRORS
from apps.memory.api.inputs import MemoryInput, SearchInput
from apps.memory.api.views import LIMITS, LISTED, SEARCHED, FindingView


class SessionMemoriesView(FindingView):
    """`/v1/sessions/{id}/memories`"""

    @extend_schema(
        operation_id="add_session_memory",
        parameters=[SESSION, IDEMPOTENCY_KEY],
        request=MemoryInput,
        responses={201: outputs.Memory, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Remember a text that this session has taught."""
        return self.added(session_id)

    @extend_schema(
        operation_id="list_session_memories",
        parameters=[SESSION, *SEARCHED, OF_WHOM[-1], *WHICH, *LIMITS, *LISTED],
        responses={200: outputs.MemoryList, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List or search what this session can see."""
        return self.asked(session_id)


class SessionMemorySearchView(FindingView):
    """`/v1/sessions/{id}/memories/search`"""

    required_scope = Permission.READ  # a POST, but it only reads

    @extend_schema(
        operation_id="search_session_memories",
        parameters=[SESSION],
        request=SearchInput,
        responses={200: outputs.MemoryList, **READ_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Search what this session can see, nearest first."""
        return self.searched(self.read(SearchInput).asked(session_id))
