"""What guards said, over REST: of one session's writes, or of one guard's."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import act_of
from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.core.http import ApiView
from apps.guards import listing
from apps.guards.api.guard_serializers import VerdictListOutput
from apps.guards.api.guard_shapes import verdict_id, verdict_object
from apps.guards.api.guards import GUARD, READ_ERRORS
from apps.guards.listing import Moment, Place, Said
from apps.guards.models import Guard
from apps.timeline.api import parameters
from apps.timeline.versions import head_of

NUMBER = r"(\d{1,18})"
REFUSAL = r"(?:\.(refu_[0-9a-z]{26}))?"
PLACE = re.compile(rf"{NUMBER}\.{NUMBER}\.(guar_[0-9a-z]{{26}}){REFUSAL}", re.ASCII)
MOMENT = re.compile(
    rf"{NUMBER}\.((?:sess_[0-9a-z]{{26}})?)\.{NUMBER}\.{NUMBER}{REFUSAL}", re.ASCII
)
# After the last day that there is: no moment.
LATEST = 253_402_300_799_999_999
PAGE = [
    parameters.limit(20),
    parameters.text("starting_after", "The `last_id` of the page before."),
]


class VerdictCollection(ApiView):
    """`/v1/sessions/{session_id}/verdicts`"""

    @extend_schema(
        operation_id="list_verdicts",
        parameters=PAGE,
        responses={200: VerdictListOutput} | READ_ERRORS,
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List what guards said of a session's writes, the newest first.

        A write that passes has no verdict; one that was refused has one.
        """
        act = act_of(request)
        limit = paging.limit_of(request)
        head_of(act.scope, session_id, now=act.now)
        after = _place(paging.text_of(request, "starting_after"))
        found = listing.of_session(session_id, after, limit + 1)
        return Response(paging.page(found, limit, verdict_id, verdict_object))


class GuardVerdictCollection(ApiView):
    """`/v1/guards/{guard_id}/verdicts`"""

    @extend_schema(
        operation_id="list_guard_verdicts",
        parameters=[GUARD, *PAGE],
        responses={200: VerdictListOutput} | READ_ERRORS,
    )
    def get(self, request: Request, guard_id: str) -> Response:
        """List what a guard said in all sessions, and which writes it refused.

        The newest first; `last_id` is that of the page, and none of the verdicts'.
        """
        act = act_of(request)
        limit = paging.limit_of(request)
        guard = Guard.objects.visible_to(act.scope).one(guard_id)
        after = _moment(paging.text_of(request, "starting_after"))
        found = listing.of_guard(guard.id, after, limit + 1)
        return Response(paging.page(found, limit, _cursor, verdict_object))


def _place(after: str | None) -> Place | None:
    """Raises: InvalidRequest for what is no verdict's id."""
    if after is None:
        return None
    found = PLACE.fullmatch(after)
    if found is None:
        raise InvalidRequest("This is no verdict's id.", param="starting_after")
    return Place(
        number=int(found[1]),
        turn_number=int(found[2]),
        guard_id=found[3],
        refusal=found[4] or "",
    )


def _moment(after: str | None) -> Moment | None:
    """Raises: InvalidRequest for what is no page's `last_id`."""
    if after is None:
        return None
    found = MOMENT.fullmatch(after)
    if found is None or int(found[1]) > LATEST:
        raise InvalidRequest("This is no page's last_id.", param="starting_after")
    return Moment(
        micros=int(found[1]),
        session_id=found[2],
        number=int(found[3]),
        turn_number=int(found[4]),
        refusal=found[5] or "",
    )


def _cursor(one: Said) -> str:
    at = listing.moment_of(one)
    found: list[Any] = [at.micros, at.session_id, at.number, at.turn_number]
    if at.refusal:
        found.append(at.refusal)
    return ".".join(map(str, found))
