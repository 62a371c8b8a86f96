"""Memories over REST: add, read, list, search, change, delete, and their history."""

from __future__ import annotations

import math

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY
from apps.memory import operations as memory
from apps.memory.api import outputs, shapes
from apps.memory.api.base import (
    FOUND,
    LIMIT,
    MAXIMUM_LIMIT,
    MEMORY,
    MOST_FOUND,
    OF_WHOM,
    READ_ERRORS,
    WHICH,
    WRITE_ERRORS,
    MemoryView,
)
from apps.memory.api.inputs import ChangeInput, MemoryInput, SearchInput
from apps.memory.operations.reading import ListAsked
from apps.memory.operations.searching import LEAST_SCORE, SearchAsked

VERSIONS_LIMIT = 20
LAST = 2**53
LIMITS = [
    OpenApiParameter(
        "limit",
        int,
        description=f"1 to {MAXIMUM_LIMIT}, of a search {MOST_FOUND}.",
    ),
    OpenApiParameter("top_k", int, description="Another name for `limit`."),
]
SEARCHED = [
    OpenApiParameter("query", str, description="Search for this instead of a list."),
    OpenApiParameter(
        "threshold", float, description=f"Of a search, 0 to 1; {LEAST_SCORE}."
    ),
]
LISTED = [
    OpenApiParameter("starting_after", str, description="The id of a memory."),
    OpenApiParameter(
        "status",
        str,
        description="Of a list: believed, proposed, replaced, dropped or taken (of a "
        "patch), by commas; the first two.",
    ),
]


class FindingView(MemoryView):
    """What the addresses of a list and of a search have in common."""

    def asked(self, session_id: str | None = None) -> Response:
        """Answer what a query finds, or without one a list."""
        query = paging.text_of(self.request, "query", 4_000)
        if query is None:
            return self.listed(session_id)
        return self.found(query, session_id)

    def listed(self, session_id: str | None = None) -> Response:
        """Answer one page of memories."""
        if paging.text_of(self.request, "threshold") is not None:
            raise InvalidRequest("threshold belongs to a query.", param="threshold")
        statuses = self.several("status")
        asked = ListAsked(
            place=self.place(session_id),
            limit=self.number(LIMIT, MAXIMUM_LIMIT),
            types=self.several("type", "types"),
            tags=self.several("tags"),
            # Where one stood is a place in a list, too, if its id is no longer whole:
            # published requests name one that is not.
            after_id=paging.cursor_of(self.request, "mem", shortest=1),
            **({"statuses": statuses} if statuses else {}),
        )
        return Response(
            shapes.page_object(memory.list_memories(act=self.act, asked=asked))
        )

    def found(self, query: str, session_id: str | None = None) -> Response:
        """Answer what a search by the query's parameters finds."""
        for name in ("starting_after", "status"):
            if paging.text_of(self.request, name) is not None:
                raise InvalidRequest(
                    f"query and {name} exclude each other.", param=name
                )
        return self.searched(
            SearchAsked(
                query=query,
                place=self.place(session_id),
                limit=self.number(FOUND, MOST_FOUND),
                least=self._least(),
                types=self.several("type", "types"),
                tags=self.several("tags"),
            )
        )

    def searched(self, asked: SearchAsked) -> Response:
        result = memory.search(act=self.act, asked=asked)
        return Response(shapes.search_object(result, asked.query))

    def added(self, session_id: str | None = None) -> Response:
        """Remember what the body says."""
        said = self.read(MemoryInput)
        return self.perform(
            lambda: shapes.added_object(
                memory.add(act=self.act, new=said.new_memory(session_id))
            ),
            status=201,
        )

    def _least(self) -> float:
        text = paging.text_of(self.request, "threshold")
        if text is None:
            return LEAST_SCORE
        try:
            least = float(text)
        except ValueError:
            least = math.nan
        if not 0 <= least <= 1:
            raise InvalidRequest(
                "threshold takes a number from 0 to 1.", param="threshold"
            )
        return least


class MemoriesView(FindingView):
    """`/v1/memories`"""

    @extend_schema(
        operation_id="add_memory",
        parameters=[IDEMPOTENCY_KEY],
        request=MemoryInput,
        responses={201: outputs.Memory, **WRITE_ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Remember a text; equal text reinforces the memory that says it already."""
        return self.added()

    @extend_schema(
        operation_id="list_memories",
        parameters=[*SEARCHED, *OF_WHOM, *WHICH, *LIMITS, *LISTED],
        responses={200: outputs.MemoryList, **READ_ERRORS},
    )
    def get(self, request: Request) -> Response:
        """List memories, newest first, or search them by meaning and words."""
        return self.asked()


class MemorySearchView(FindingView):
    """`/v1/memories/search`"""

    required_scope = Permission.READ  # a POST, but it only reads

    @extend_schema(
        operation_id="search_memories",
        request=SearchInput,
        responses={200: outputs.MemoryList, **READ_ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Search memories by meaning and words, nearest first."""
        return self.searched(self.read(SearchInput).asked())

    @extend_schema(
        operation_id="search_memories_by_query",
        parameters=[*SEARCHED, *OF_WHOM, *WHICH, *LIMITS, *LISTED],
        responses={200: outputs.MemoryList, **READ_ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Search memories, as StateBase's first client does; without a query list."""
        return self.asked()


class MemoryDetailView(MemoryView):
    """`/v1/memories/{id}`"""

    @extend_schema(
        operation_id="read_memory",
        parameters=[MEMORY],
        responses={200: outputs.Memory, **READ_ERRORS},
    )
    def get(self, request: Request, memory_id: str) -> Response:
        """Read a memory."""
        kept = memory.read(act=self.act, memory_id=memory_id)
        return Response(shapes.memory_object(kept))

    @extend_schema(
        operation_id="replace_memory",
        parameters=[MEMORY, IDEMPOTENCY_KEY],
        request=ChangeInput,
        responses={200: outputs.Memory, **WRITE_ERRORS},
    )
    def put(self, request: Request, memory_id: str) -> Response:
        """Change a memory; what is not named stays, metadata is set whole."""
        return self._changed(memory_id, merges=False)

    @extend_schema(
        operation_id="update_memory",
        parameters=[MEMORY, IDEMPOTENCY_KEY],
        request=ChangeInput,
        responses={200: outputs.Memory, **WRITE_ERRORS},
    )
    def patch(self, request: Request, memory_id: str) -> Response:
        """Change a memory; what is not named stays, metadata is merged."""
        return self._changed(memory_id, merges=True)

    @extend_schema(
        operation_id="delete_memory",
        parameters=[MEMORY, IDEMPOTENCY_KEY],
        request=None,
        responses={204: None, **WRITE_ERRORS},
    )
    def delete(self, request: Request, memory_id: str) -> Response:
        """Delete a memory; what it said stays in its history."""

        def verb() -> None:
            memory.delete(act=self.act, memory_id=memory_id)

        return self.perform(verb, status=204)

    def _changed(self, memory_id: str, *, merges: bool) -> Response:
        said = self.read(ChangeInput)
        return self.perform(
            lambda: shapes.memory_object(
                memory.update(
                    act=self.act,
                    memory_id=memory_id,
                    changes=said.changes(merges=merges),
                    is_administrators=self.is_administrators,
                )
            )
        )


class MemoryVersionsView(MemoryView):
    """`/v1/memories/{id}/versions`"""

    @extend_schema(
        operation_id="list_memory_versions",
        parameters=[
            MEMORY,
            OpenApiParameter("limit", int, description="1 to 100; 20."),
            OpenApiParameter("cursor", str, description="`next_cursor` of a page."),
        ],
        responses={200: outputs.MemoryVersionList, **READ_ERRORS},
    )
    def get(self, request: Request, memory_id: str) -> Response:
        """List what was done to a memory, deleted or not, the newest first."""
        history = memory.read_versions(
            act=self.act,
            memory_id=memory_id,
            before=paging.integer_of(request, "cursor", minimum=1, maximum=LAST),
            limit=paging.limit_of(request, VERSIONS_LIMIT),
        )
        return Response(shapes.history_object(history))
