"""Blame: who set the value at a JSON pointer, and who set it before that.

Values that are large come shortened, as in the changes of a version: 50 setters of a
whole state would be 50 states.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from orjson import Fragment
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import json, paging
from apps.core.errors import InvalidRequest, UnacceptableJson
from apps.core.http.openapi.schema import errors
from apps.core.json import segments
from apps.core.time.moments import utc_text
from apps.diffs.changes import MISSING, Json
from apps.timeline.api.base import TimelineView
from apps.timeline.api.outputs.blame import CARRIED, BlameList
from apps.timeline.blame import (
    Blame,
    Cursor,
    NotBefore,
    Setter,
    TurnFacts,
    blame,
    cursors,
)
from apps.timeline.ledger.facts import index
from apps.timeline.versions.reading import VersionRow

MAX_POINTER = 4_000
MAX_SETTERS = 50
# The JSON of a value that is given as it is.
WHOLE = 16_384


class BlameView(TimelineView):
    """Who set a value."""

    @extend_schema(
        operation_id="blame",
        parameters=[
            OpenApiParameter(
                "pointer",
                str,
                required=True,
                description="RFC 6901, into that version's state; empty for all of it.",
            ),
            OpenApiParameter(
                "version", int, description="The head if unset; -1 the one before."
            ),
            OpenApiParameter(
                "limit",
                {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_SETTERS,
                    "default": 1,
                },
                description="How many successive setters at most.",
            ),
            OpenApiParameter(
                "starting_after", str, description="The `next` of an earlier answer."
            ),
        ],
        responses={200: BlameList, **errors(400, 401, 403, 404, 410, 429, 503)},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Tell which version set a value, from what to what, who, why and which turn.

        A value that a rollback restored is blamed on the version that first set it.
        Of a key that was removed, the remover comes first. What is gone cannot be
        blamed: `not_before` says how far was looked.
        """
        found = blame(
            self.scope,
            session_id,
            _pointer_of(request),
            number=paging.integer_of(
                request, "version", minimum=-(2**31), maximum=2**53
            ),
            now=self.now,
            before=_cursor_of(request),
            limit=paging.limit_of(request, 1, MAX_SETTERS),
        )
        return Response(_blame_object(found))


def _pointer_of(request: Request) -> str:
    given: str | None = request.GET.get("pointer")
    if given is None or len(given) > MAX_POINTER:
        raise InvalidRequest(
            f"pointer takes a JSON pointer of at most {MAX_POINTER:,} characters.",
            param="pointer",
        )
    try:
        segments(given)
    except UnacceptableJson as error:
        raise InvalidRequest(error.message, param="pointer") from None
    return given


def _cursor_of(request: Request) -> Cursor | None:
    given = paging.text_of(request, "starting_after", cursors.LONGEST_CURSOR)
    if given is None:
        return None
    try:
        return cursors.read_cursor(given)
    except ValueError:
        raise InvalidRequest(
            "starting_after takes the next of an earlier answer.",
            param="starting_after",
        ) from None


def _blame_object(found: Blame) -> dict[str, Any]:
    return {
        "object": "blame",
        "session_id": found.version.session_id,
        "version": found.version.number,
        "pointer": found.pointer,
        **_values(value=found.value),
        "data": [_setter_object(setter) for setter in found.setters],
        "has_more": found.next is not None,
        "next": cursors.write_cursor(found.next),
        "not_before": found.not_before and _not_before(found.not_before),
    }


def _not_before(found: NotBefore) -> dict[str, Any]:
    return {
        "session_id": found.version.session_id,
        "version": found.version.number,
        "code": found.error.code,
        "gone_session_id": found.error.details["session_id"],
        "tombstone": found.error.details["tombstone"],
    }


def _setter_object(setter: Setter) -> dict[str, Any]:
    version = setter.version
    return {
        "session_id": version.session_id,
        "version": version.number,
        "pointer": setter.pointer,
        "from_pointer": setter.from_pointer,
        "kind": setter.kind.value if setter.kind else CARRIED,
        **_values(before=setter.before, after=setter.after),
        "op": version.op,
        **act_object(version),
        "turn": turn_object(setter.turn) if setter.turn else None,
        "restored_by": _restorer(setter.restored_by) if setter.restored_by else None,
        "next": cursors.write_cursor(setter.next),
    }


def _restorer(version: VersionRow) -> dict[str, Any]:
    return {
        "session_id": version.session_id,
        "version": version.number,
        "restored_version": version.restored_number,
        "source_session_id": version.source_session_id,
        "source_version": version.source_number,
        **act_object(version),
    }


def act_object(version: VersionRow) -> dict[str, Any]:
    """Return when, by whom and why a version was written."""
    return {
        "created_at": utc_text(version.created_at),
        "actor": {
            "kind": version.actor_kind,
            "id": version.actor_id,
            "label": version.actor_label,
        },
        "reasoning": version.reasoning,
        "reason_code": version.reason_code,
        "trace_id": version.trace_id,
    }


def turn_object(turn: TurnFacts) -> dict[str, Any]:
    """Return the turn that made a version."""
    return {
        "id": turn.id,
        "turn_number": turn.turn_number,
        "reasoning": turn.reasoning,
        "trace_id": turn.trace_id,
        "created_at": utc_text(turn.created_at),
    }


def _values(**sides: Json) -> dict[str, Any]:
    """Write the values that are there, the large ones shortened.

    Of two texts, both: what is shown of them is around the difference.
    """
    whole = {
        name: json.dumps(value) for name, value in sides.items() if value is not MISSING
    }
    written = {name: Fragment(data) for name, data in whole.items()}
    large = {name: sides[name] for name, data in whole.items() if len(data) > WHOLE}
    if large:
        short = index.shortened(**sides)
        short = short if "differs_at" in short else index.shortened(**large)
        return {"shortened": True, **written, **short}
    return {"shortened": False, **written}
