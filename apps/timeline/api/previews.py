"""What a rollback would do, before anybody does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from orjson import Fragment
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.timeline.api import outputs
from apps.timeline.api.base import TimelineView
from apps.timeline.api.comparisons import change_list
from apps.timeline.api.effects.shapes import crossed_object
from apps.timeline.api.migrating.moving import AHEAD, ahead_of, move_object
from apps.timeline.queries.calls import Call
from apps.timeline.queries.effects import CrossedEffect
from apps.timeline.queries.preview import Preview, preview_rollback

OUTSIDE = (
    "Stepback cannot undo what tool calls did outside, and does not know of calls "
    "that the agent did not report."
)
# The JSON of arguments that are given as they are.
WHOLE = 16_384


class RollbackPreviewView(TimelineView):
    """A rollback, before it is done."""

    @extend_schema(
        operation_id="preview_rollback",
        parameters=[
            OpenApiParameter(
                "version",
                int,
                required=True,
                description="The number to restore; -1 is the one before the head.",
            ),
            *AHEAD,
        ],
        responses={
            200: outputs.RollbackPreview,
            **errors(400, 401, 403, 404, 409, 429, 500, 503),
        },
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Tell what the state becomes, what is set aside, and what stays outside.

        Give its `head` as `expected_version` to the rollback: then what you saw is
        what happens, or 409.
        """
        to = paging.integer_of(request, "version", minimum=-(2**31), maximum=2**53)
        if to is None:
            raise InvalidRequest("version takes a version number.", param="version")
        found = preview_rollback(
            self.scope, session_id, to, now=self.now, ahead=ahead_of(request)
        )
        return Response(_object(found))


def _object(found: Preview) -> dict[str, Any]:
    effects, declared = found.effects, found.effects.by_call
    return {
        "object": "rollback_preview",
        "session_id": found.head.session_id,
        "version": found.target.number,
        "head": found.head.number,
        **change_list(found.comparison),
        "versions_set_aside": found.n_set_aside,
        "versions_brought_back": found.brought_back,
        "turns_set_aside": found.n_turns,
        "effects": [crossed_object(one) for one in effects.first],
        "effects_crossed": effects.n_owed,
        "effects_truncated": effects.count > len(effects.first),
        "tool_calls": [_call(call, declared) for call in found.calls],
        "tool_calls_since": found.calls_since,
        "tool_calls_truncated": found.has_more_calls,
        "schema": found.boundary
        and {
            "head": found.boundary.head,
            "restored": found.boundary.restored,
            "migrates": found.boundary.migrates,
        },
        "moves": [move_object(one) for one in found.moves],
        "outside": OUTSIDE,
        "forks": [
            {"session_id": fork.session_id, "version": fork.number}
            for fork in found.forks
        ],
        "forks_truncated": found.has_more_forks,
        "labels": [{"label": one.name, "version": one.number} for one in found.labels],
        "labels_truncated": found.has_more_labels,
        "hold": found.head.hold,
        "hold_recommended": found.recommends_hold,
    }


def _call(call: Call, declared: Mapping[str, CrossedEffect]) -> dict[str, Any]:
    effect = declared.get(call.id) if call.id is not None else None
    written = json.dumps(call.arguments)
    if len(written) > WHOLE:
        written = json.dumps(json.cleaned(call.arguments, max_depth=3, max_entries=20))
    return {
        "name": call.name,
        "id": call.id,
        "effect_id": effect.id if effect else None,
        "class": effect.counts_as.value if effect else None,
        "arguments": Fragment(written),
        "session_id": call.session_id,
        "version": call.number,
        "turn_number": call.turn_number,
        "at": utc_text(call.at),
        "may_already_be_part": call.may_be_part,
        "was_set_aside": call.was_set_aside,
    }
