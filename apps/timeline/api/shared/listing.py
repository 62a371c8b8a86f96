"""`/v1/shared`: documents that agents of a project write together."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import paging
from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.timeline.api import parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.shared.outputs import SharedListOutput
from apps.timeline.ledger.documents.named import shared_documents


class SharedCollection(TimelineView):
    """All of a project's shared documents."""

    @extend_schema(
        operation_id="list_shared",
        parameters=[
            parameters.text("prefix", "How names begin: public/ or agent/travel/."),
            parameters.limit(20),
            parameters.text("starting_after", "The `last_id` of the page before."),
        ],
        responses={200: SharedListOutput, **errors(400, 401, 403, 429, 503)},
    )
    def get(self, request: Request) -> Response:
        """List shared documents by name; every key of the project may read them."""
        limit = paging.limit_of(request)
        found = shared_documents(
            self.scope.project,
            prefix=paging.text_of(request, "prefix") or "",
            after=paging.text_of(request, "starting_after"),
            limit=limit + 1,
        )
        return Response(paging.page(found, limit, lambda one: str(one.name), _listed))


def _listed(one: Any) -> dict[str, Any]:
    return {
        "object": "shared",
        "name": one.name,
        "session_id": one.id,
        "version": one.head_number,
        "created_at": utc_text(one.created_at),
        "updated_at": utc_text(one.updated_at),
    }
