"""An agent's data over REST: write, read, list, search, delete, and its history.

Paths and shapes are those of Anchor's clients.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY
from apps.data import operations as data
from apps.data.api import outputs, shapes
from apps.data.api.base import (
    AGENT,
    AT,
    CURSOR,
    KEY,
    LIMIT,
    MAXIMUM_LIMIT,
    MAXIMUM_OFFSET,
    READ_ERRORS,
    WRITE_ERRORS,
    DataView,
)
from apps.data.api.inputs import BatchInput, SearchInput, WriteInput
from apps.data.documents.keys import LONGEST_KEY
from apps.data.operations.reading import PageAsked

VERSIONS_LIMIT = 20
MAXIMUM_VERSIONS = 100
LAST = 2**53
PREFIX = OpenApiParameter("prefix", str, description="Keys that begin so.")
IN_PATH = OpenApiParameter(
    "prefix", str, OpenApiParameter.PATH, description="Keys that begin so."
)
PAGE = [
    OpenApiParameter("limit", int, description=f"1 to {MAXIMUM_LIMIT}; {LIMIT}."),
    OpenApiParameter(
        "offset", int, description=f"0 to {MAXIMUM_OFFSET}; `cursor` has no limit."
    ),
    CURSOR,
    OpenApiParameter("full", bool, description="With values, 8 MiB a page at most."),
    AT,
]


class ValueView(DataView):
    """What the addresses of one value have in common."""

    def value(self, request: Request, agent: str, key: str) -> Response:
        """Answer what stands under a key, now or at an earlier version."""
        at = _at(request)
        reading = data.read_value(act=self.act, reference=agent, key=key, at=at)
        return Response(shapes.value_object(reading))


class ListView(ValueView):
    """What the two addresses of a list have in common."""

    def page(self, request: Request, agent: str, prefix: str) -> Response:
        """Answer one page of keys."""
        asked = _page_asked(request, prefix)
        page = data.list_values(act=self.act, reference=agent, asked=asked)
        return Response(shapes.list_object(page, is_full=asked.is_full))

    def removal(self, agent: str, prefix: str) -> Response:
        """Delete what begins so, and answer how many keys that were."""

        def verb() -> dict[str, Any]:
            removal = data.remove_prefix(act=self.act, reference=agent, prefix=prefix)
            return shapes.removal_object(removal)

        return self.perform(verb)


class DataCollection(ListView):
    """`/v1/agents/{agent}/data`"""

    @extend_schema(
        operation_id="write_data",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=WriteInput,
        responses={200: outputs.WriteResult, **WRITE_ERRORS},
    )
    def post(self, request: Request, agent: str) -> Response:
        """Write a value, checked against the config's policies.

        A blocked write is no error: `allowed` is false, and `blocked_by` says which
        policy it was.
        """
        said = self.read(WriteInput)
        override = self.override_in(said.validated_data)

        def verb() -> dict[str, Any]:
            (result,) = data.write_batch(
                act=self.act,
                reference=agent,
                items=[said.new_value()],
                reasoning=said.validated_data.get("reasoning"),
                override=override,
            )
            return shapes.write_object(result)

        redaction = shapes.blocked_keys(lambda: [said.new_value()])
        return self.perform(verb, redaction=redaction)

    @extend_schema(
        operation_id="list_data",
        parameters=[
            AGENT,
            PREFIX,
            *PAGE,
            OpenApiParameter("key", str, description="Read this very key instead."),
        ],
        responses={200: outputs.KeyListOrEntry, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str) -> Response:
        """List keys in their order, or read one `key` whatever it is made of."""
        key = paging.text_of(request, "key")
        if key is None:
            prefix = paging.text_of(request, "prefix", LONGEST_KEY) or ""
            return self.page(request, agent, prefix)
        beside = set(request.query_params) & {"prefix", "cursor", "offset", "limit"}
        if beside:
            name = min(beside)
            raise InvalidRequest(f"key and {name} exclude each other.", param=name)
        return self.value(request, agent, key)

    @extend_schema(
        operation_id="delete_data_prefix",
        parameters=[AGENT, PREFIX, IDEMPOTENCY_KEY],
        request=None,
        responses={200: outputs.Removal, **WRITE_ERRORS},
    )
    def delete(self, request: Request, agent: str) -> Response:
        """Delete all keys that begin with `prefix`, which is never empty."""
        prefix = paging.text_of(request, "prefix", LONGEST_KEY) or ""
        return self.removal(agent, prefix)


class DataBatch(DataView):
    """`/v1/agents/{agent}/data/batch`"""

    @extend_schema(
        operation_id="write_data_batch",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=BatchInput,
        responses={200: outputs.BatchResult, **WRITE_ERRORS},
    )
    def post(self, request: Request, agent: str) -> Response:
        """Write up to 100 values; what policies block is left out, and said."""
        said = self.read(BatchInput)
        override = self.override_in(said.validated_data)

        def verb() -> dict[str, Any]:
            results = data.write_batch(
                act=self.act,
                reference=agent,
                items=said.new_values(),
                reasoning=said.validated_data.get("reasoning"),
                override=override,
                name=said.name,
            )
            return shapes.batch_object(results)

        redaction = shapes.blocked_keys(said.new_values)
        return self.perform(verb, redaction=redaction)


class DataSearch(DataView):
    """`/v1/agents/{agent}/data/search`"""

    required_scope = Permission.READ  # a POST, but it only reads

    @extend_schema(
        operation_id="search_data",
        parameters=[AGENT],
        request=SearchInput,
        responses={200: outputs.SearchResult, **READ_ERRORS},
    )
    def post(self, request: Request, agent: str) -> Response:
        """Search values by meaning, or words; `method` says how it was searched."""
        said = self.read(SearchInput)
        result = data.search(act=self.act, reference=agent, asked=said.asked())
        return Response(shapes.search_object(result))


class DataPrefix(ListView):
    """`/v1/agents/{agent}/data/prefix/{prefix}`"""

    @extend_schema(
        operation_id="list_data_below",
        parameters=[AGENT, IN_PATH, *PAGE],
        responses={200: outputs.KeyList, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str, prefix: str) -> Response:
        """List the keys that begin so."""
        return self.page(request, agent, prefix)

    @extend_schema(
        operation_id="delete_data_below",
        parameters=[AGENT, IN_PATH, IDEMPOTENCY_KEY],
        request=None,
        responses={200: outputs.Removal, **WRITE_ERRORS},
    )
    def delete(self, request: Request, agent: str, prefix: str) -> Response:
        """Delete the keys that begin so."""
        return self.removal(agent, prefix)


class DataVersions(DataView):
    """`/v1/agents/{agent}/data/{key}/versions`"""

    @extend_schema(
        operation_id="list_data_versions",
        parameters=[
            AGENT,
            KEY,
            OpenApiParameter("limit", int, description=f"1 to {MAXIMUM_VERSIONS}."),
            CURSOR,
        ],
        responses={200: outputs.KeyVersionList, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str, key: str) -> Response:
        """List what was done to a key, the newest first, with what it left."""
        page = data.read_versions(
            act=self.act,
            reference=agent,
            key=key,
            before=paging.integer_of(request, "cursor", minimum=1, maximum=LAST),
            limit=paging.limit_of(request, VERSIONS_LIMIT, MAXIMUM_VERSIONS),
        )
        return Response(shapes.history_object(page))


class DataFull(ValueView):
    """`/v1/agents/{agent}/data/{key}/full`"""

    @extend_schema(
        operation_id="read_data_full",
        parameters=[AGENT, KEY, AT],
        responses={200: outputs.Entry, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str, key: str) -> Response:
        """Read a value with all that is known of it."""
        return self.value(request, agent, key)


class DataDetail(ValueView):
    """`/v1/agents/{agent}/data/{key}`"""

    @extend_schema(
        operation_id="read_data",
        parameters=[AGENT, KEY, AT],
        responses={200: outputs.Entry, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str, key: str) -> Response:
        """Read a value, now or as it was at an earlier version."""
        return self.value(request, agent, key)

    @extend_schema(
        operation_id="delete_data",
        parameters=[AGENT, KEY, IDEMPOTENCY_KEY],
        request=None,
        responses={200: outputs.Removal, **WRITE_ERRORS},
    )
    def delete(self, request: Request, agent: str, key: str) -> Response:
        """Delete a key; what stood under it stays in its history."""
        remove = partial(data.remove, reference=agent, key=key)
        return self.perform(lambda: shapes.removal_object(remove(act=self.act)))


def _page_asked(request: Request, prefix: str) -> PageAsked:
    cursor = paging.text_of(request, "cursor", 4 * LONGEST_KEY)
    offset = paging.integer_of(request, "offset", minimum=0, maximum=MAXIMUM_OFFSET)
    at = _at(request)
    if offset and (cursor is not None or at is not None):
        name = "cursor" if cursor is not None else "at"
        raise InvalidRequest(f"offset and {name} exclude each other.", param="offset")
    return PageAsked(
        limit=paging.limit_of(request, LIMIT, MAXIMUM_LIMIT),
        prefix=prefix,
        after="" if cursor is None else shapes.key_behind(cursor),
        offset=offset or 0,
        at=at,
        is_full=paging.flag_of(request, "full"),
    )


def _at(request: Request) -> int | None:
    return paging.integer_of(request, "at", minimum=0, maximum=LAST)
