"""What the views of retention share: administrators' keys for all agents alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.agents.api.administering import AdministratorView, Body
from apps.core import json, paging
from apps.timeline.api import parameters

LIMIT = parameters.limit(20)
AFTER = parameters.text("starting_after", "The `last_id` of the page before.")


def named(name: str, what: str) -> OpenApiParameter:
    """Return the parameter of an address that names one."""
    return OpenApiParameter(
        name, str, OpenApiParameter.PATH, description=f"The {what}'s `id`."
    )


class RetentionView(AdministratorView):
    """What is kept and what goes concerns all agents."""

    refusal = "Retention is about all agents; this key speaks for some of them."

    @property
    def project_id(self) -> str:
        return str(self.caller.project.id)

    def answer(
        self,
        request: Request,
        verb: Callable[[Act], Any],
        shape: Callable[[Any], dict[str, Any]],
        *,
        status: int = 200,
    ) -> Response:
        """Answer what a verb returns, done once for one idempotency key."""

        def perform(act: Act) -> Body:
            return status, json.dumps(shape(verb(act)))

        return self.perform(request, perform)

    def page(
        self,
        request: Request,
        found: Any,
        shape: Callable[[Any], dict[str, Any]],
        prefix: str,
    ) -> Response:
        """Answer a page of a list, the newest first.

        Raises: InvalidRequest for a cursor that is no id of this list.
        """
        limit = paging.limit_of(request)
        after = paging.cursor_of(request, prefix)
        rows = list(found.older_than(after).newest_first()[: limit + 1])
        return Response(paging.page(rows, limit, lambda one: str(one.id), shape))
