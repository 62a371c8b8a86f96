"""Exceptions from an agent's policies over REST: make one, list them, end one.

An agent's own key reads them; only administrators' keys make and end them, for with a
key that writes data an agent would let itself pass.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.core import paging
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY
from apps.core.time.moments import utc_text
from apps.data import operations as data
from apps.data.api.base import AGENT, READ_ERRORS, WRITE_ERRORS, DataView
from apps.data.api.governing.serializers import (
    ExceptionInput,
    ExceptionList,
    ExceptionOutput,
)
from apps.data.models import PolicyException

EXCEPTION = OpenApiParameter(
    "exception_id", str, OpenApiParameter.PATH, description="Such as exc_…"
)


class ExceptionView(DataView):
    """What both addresses have in common: who changes anything is an administrator."""

    required_scope = {"POST": Permission.ADMIN, "DELETE": Permission.ADMIN}


class ExceptionCollection(ExceptionView):
    """`/v1/agents/{agent}/exceptions`"""

    @extend_schema(
        operation_id="create_exception",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=ExceptionInput,
        responses={200: ExceptionOutput, **WRITE_ERRORS},
    )
    def post(self, request: Request, agent: str) -> Response:
        """Let pass what a policy was wrong about; the agent writes it again itself."""
        said = self.read(ExceptionInput)

        def verb() -> dict[str, Any]:
            made = data.create_exception(
                act=self.act, reference=agent, said=said.said(), may_secrets=True
            )
            return self._shown(made.exception)

        return self.perform(verb)

    @extend_schema(
        operation_id="list_exceptions",
        parameters=[
            AGENT,
            OpenApiParameter("limit", int, description="1 to 100."),
            OpenApiParameter(
                "starting_after", str, description="The `last_id` of the page before."
            ),
        ],
        responses={200: ExceptionList, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str) -> Response:
        """List exceptions, also those that hold no more, newest first, 20 a page."""
        limit = paging.limit_of(request)
        found = data.list_exceptions(
            act=self.act,
            reference=agent,
            before=paging.text_of(request, "starting_after"),
            limit=limit + 1,
        )
        return Response(
            paging.page(found.exceptions, limit, lambda one: one.id, self._shown)
        )

    def _shown(self, one: PolicyException) -> dict[str, Any]:
        return exception_object(self, one)


class ExceptionDetail(ExceptionView):
    """`/v1/agents/{agent}/exceptions/{exception_id}`"""

    @extend_schema(
        operation_id="get_exception",
        parameters=[AGENT, EXCEPTION],
        responses={200: ExceptionOutput, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str, exception_id: str) -> Response:
        """Return one exception."""
        found = data.read_exception(
            act=self.act, reference=agent, exception_id=exception_id
        )
        return Response(exception_object(self, found.exception))

    @extend_schema(
        operation_id="end_exception",
        parameters=[AGENT, EXCEPTION, IDEMPOTENCY_KEY],
        request=None,
        responses={200: ExceptionOutput, **WRITE_ERRORS},
    )
    def delete(self, request: Request, agent: str, exception_id: str) -> Response:
        """End an exception: from the next write on the policy holds again."""

        def verb() -> dict[str, Any]:
            ended = data.end_exception(
                act=self.act, reference=agent, exception_id=exception_id
            )
            return exception_object(self, ended.exception)

        return self.perform(verb)


def exception_object(view: DataView, one: PolicyException) -> dict[str, Any]:
    """Return an exception; of a text its fingerprint stands for it."""
    mark = one.fingerprint
    return {
        "object": "policy_exception",
        "id": one.id,
        "rule": one.rule,
        "prefix": one.prefix,
        "fingerprint": None if mark is None else bytes(mark).hex(),
        "kind": one.kind,
        "place": one.place,
        "masked": one.masked,
        "reason": one.reason,
        "active": one.holds_at(view.now),
        "actor": {
            "kind": one.actor_kind,
            "id": one.actor_id,
            "label": one.actor_label,
        },
        "created_at": utc_text(one.created_at),
        "expires_at": utc_text(one.expires_at),
        "ended_at": utc_text(one.ended_at),
    }
