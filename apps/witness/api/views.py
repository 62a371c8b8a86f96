"""`/v1/roots` and `/v1/sessions/{id}/proof`: what was signed, and a head's proof."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import paging
from apps.core.errors import Busy, InvalidRequest
from apps.core.http.openapi.schema import errors
from apps.core.notes import keys
from apps.core.notes.errors import KeyRefused
from apps.timeline.api import parameters
from apps.timeline.api.base import TimelineView
from apps.witness.api.outputs import (
    KeysOutput,
    ProofOutput,
    RootListOutput,
    RootOutput,
)
from apps.witness.errors import RootNotFound
from apps.witness.reading import queries
from apps.witness.reading.shapes import (
    key_object,
    listed_root,
    proof_object,
    root_object,
)

LONGEST_NUMBER = 12
NUMBER = OpenApiParameter(
    "root_number", str, OpenApiParameter.PATH, description="The note's `number`."
)


class RootCollection(TimelineView):
    """`/v1/roots`"""

    @extend_schema(
        operation_id="list_roots",
        parameters=[
            parameters.limit(20),
            parameters.text("starting_after", "The `last_id` of the page before."),
        ],
        responses={200: RootListOutput} | errors(400, 401, 403, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """List signed notes, the newest first, without their leaves."""
        limit = paging.limit_of(request)
        after = paging.text_of(request, "starting_after")
        before = None if after is None else number_of(after)
        if after is not None and before is None:
            raise InvalidRequest(
                "starting_after takes the last_id of a page.", param="starting_after"
            )
        found = queries.newest_roots(before=before, limit=limit + 1)
        return Response(
            paging.page(found, limit, lambda one: str(one.root.number), listed_root)
        )


class RootDetail(TimelineView):
    """`/v1/roots/{root_number}`"""

    @extend_schema(
        operation_id="get_root",
        parameters=[NUMBER],
        responses={200: RootOutput} | errors(401, 403, 404, 429, 503),
    )
    def get(self, request: Request, root_number: str) -> Response:
        """Read a note with its leaves: yours in clear, those of others as hashes."""
        number = number_of(root_number)
        if number is None:
            raise RootNotFound
        found = queries.root_numbered(number)
        seen = queries.visible(self.scope, list(found.root.heads))
        return Response(root_object(found, seen))


class RootKeys(TimelineView):
    """`/v1/roots/key`"""

    @extend_schema(
        operation_id="get_root_key",
        responses={200: KeysOutput} | errors(401, 403, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """Read the public keys. Write yours down elsewhere: that one counts."""
        try:
            known = keys.verifier_keys()
        except KeyRefused as error:
            raise Busy(f"The keys cannot be read: {error}") from error
        return Response(
            {"object": "root_keys", "keys": [key_object(one) for one in known]}
        )


class SessionProofView(TimelineView):
    """`/v1/sessions/{session_id}/proof`"""

    @extend_schema(
        operation_id="prove_session",
        responses={200: ProofOutput} | errors(401, 403, 404, 429, 503),
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Prove the newest signed version to whoever has the public key.

        Keep the answer as a file: `stepback verify FILE --key KEY` checks it without
        this server.
        """
        head = self.version(session_id, None)
        found = queries.proof_of(head.session_id, now=self.now)
        return Response(proof_object(session_id, found))


def number_of(text: str) -> int | None:
    """Return the number of a note as an address or a cursor says it."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER
    return int(text) if is_number else None
