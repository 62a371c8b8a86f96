"""`/v1/shared/{name}`: the newest state of a shared document, and how it is written."""

from __future__ import annotations

import time
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import errors
from apps.core.http.waiting import CROWD, LONGEST_SECONDS, wait_for
from apps.timeline import operations as timeline
from apps.timeline.api import parameters
from apps.timeline.api.shared.base import NAME, READ_ERRORS, WRITE_ERRORS, SharedView
from apps.timeline.api.shared.inputs import (
    ReplaceSharedInput,
    RollbackSharedInput,
    UpdateSharedInput,
)
from apps.timeline.api.shared.outputs import SharedOutput, SharedWriteOutput
from apps.timeline.bodies import bundles
from apps.timeline.ledger.documents import leases
from apps.timeline.versions import fetching


class SharedDetail(SharedView):
    """The newest state, and the ways to write a new one."""

    @extend_schema(
        operation_id="read_shared",
        parameters=[
            NAME,
            OpenApiParameter(
                "newer_than",
                {"type": "integer", "minimum": 0},
                description="The version that you have: with `wait`, a newer one is "
                "waited for.",
            ),
            OpenApiParameter(
                "wait",
                {"type": "integer", "minimum": 0, "maximum": LONGEST_SECONDS},
                description="Seconds to wait for a version above `newer_than`. Where "
                "too many wait already it is answered at once, with Retry-After.",
            ),
        ],
        responses={200: SharedOutput, **READ_ERRORS},
    )
    def get(self, request: Request, name: str) -> Response:
        """Read the newest version, or wait for one; `ETag` names it."""
        seconds = paging.integer_of(request, "wait", minimum=0, maximum=LONGEST_SECONDS)
        seen = paging.integer_of(request, "newer_than", minimum=0, maximum=2**53)
        if seconds and seen is None:
            raise InvalidRequest(
                "Say with newer_than which version you have: a newer one is waited "
                "for.",
                param="newer_than",
            )
        head, had_place = wait_for(
            self.newest,
            is_over=lambda one: seen is None or one.number > seen,
            sign=lambda one: fetching.newest_number(one.session_id),
            seconds=seconds or 0,
        )
        headers = {"ETag": f'"v{head.number}"'}
        if not had_place:
            headers["Retry-After"] = str(CROWD.retry_after(time.monotonic()))
        body = self.shown_object(head) | {"lease": _holder(head.session_id)}
        return Response(body, headers=headers)

    @extend_schema(
        operation_id="update_shared",
        parameters=[NAME, *parameters.STATE_WRITE],
        request=UpdateSharedInput,
        responses={200: SharedWriteOutput, **WRITE_ERRORS},
    )
    def patch(self, request: Request, name: str) -> Response:
        """Merge top-level keys into the state; the first write makes the document."""
        given = self.read(UpdateSharedInput)
        data = given.validated_data
        return self.written(
            lambda act, session_id: timeline.update(
                act=act,
                session_id=session_id,
                patch=data.get("state"),
                remove=data.get("remove") or (),
                operations=data.get("operations") or (),
                parts=bundles.named_parts(data),
                step=given.step(),
                expected=self.fenced(data),
            )
        )

    @extend_schema(
        operation_id="replace_shared",
        parameters=[NAME, *parameters.STATE_WRITE],
        request=ReplaceSharedInput,
        responses={200: SharedWriteOutput, **WRITE_ERRORS},
    )
    def put(self, request: Request, name: str) -> Response:
        """Set the state as a whole; the first write makes the document."""
        given = self.read(ReplaceSharedInput)
        return self.written(
            lambda act, session_id: timeline.replace(
                act=act,
                session_id=session_id,
                state=given.validated_data["state"],
                parts=bundles.named_parts(given.validated_data),
                step=given.step(),
                expected=self.fenced(given.validated_data),
            )
        )


class SharedRollback(SharedView):
    """Step back to an earlier version."""

    @extend_schema(
        operation_id="rollback_shared",
        parameters=[NAME, *parameters.STATE_WRITE],
        request=RollbackSharedInput,
        responses={200: SharedWriteOutput, **WRITE_ERRORS, **errors(500)},
    )
    def post(self, request: Request, name: str) -> Response:
        """Append a version with the state of an earlier one; nothing is deleted."""
        given = self.read(RollbackSharedInput)
        return self.written(
            lambda act, session_id: timeline.rollback(
                act=act,
                session_id=session_id,
                to=given.validated_data["version"],
                step=given.step(),
                reason_code=given.validated_data.get("reason_code"),
                expected=self.fenced(given.validated_data),
            ),
            makes=False,
        )


def _holder(session_id: str) -> dict[str, Any] | None:
    """Return who holds the document now."""
    lease = leases.held(session_id)
    if lease is None or not lease.seconds_left:
        return None
    return {"fence": lease.fence, **leases.told(lease)}
