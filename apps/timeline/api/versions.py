"""Versions of a session: list, read, label; the checkpoint to resume from."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_serializer,
)
from orjson import Fragment
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import answered
from apps.core import json, paging
from apps.core.http.input.fields import InputSerializer, TextField
from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters, shapes
from apps.timeline.api.base import TimelineView
from apps.timeline.api.masks.masked import masked
from apps.timeline.api.migrating.moving import AHEAD, ahead_of, move_object
from apps.timeline.api.migrating.under import SCHEMA, Under
from apps.timeline.api.outputs.gaps import removed_on_page
from apps.timeline.api.parameters import whole_number
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.api.working.outputs import ResumedCheckpoint
from apps.timeline.api.working.resuming import resuming
from apps.timeline.models import Label
from apps.timeline.queries import listing
from apps.timeline.queries.migrating import moves
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.lineage import live_ranges, set_aside_by

LABEL_ERRORS = errors(400, 401, 403, 404, 413, 415, 422, 429, 503)


@extend_schema_serializer(component_name="LabelVersion")
class LabelInput(InputSerializer):
    """A name for a version."""

    label = TextField(  # type: ignore[assignment]
        required=True, allow_null=False, allow_blank=False
    )


class VersionsView(TimelineView):
    """All versions of a session."""

    @extend_schema(
        operation_id="list_versions",
        parameters=[
            parameters.limit(20),
            parameters.order("desc"),
            OpenApiParameter("starting_after", int, description="A version number."),
            parameters.include("include_state", default=False),
        ],
        responses={200: outputs.VersionList, **READ_ERRORS},
    )
    @masked("/data/*/state")
    def get(self, request: Request, session_id: str) -> Response:
        """List versions, newest first unless asked otherwise."""
        limit = paging.limit_of(request)
        after = paging.integer_of(request, "starting_after", minimum=-1, maximum=2**53)
        newest_first = parameters.newest_first(request, default=True)
        head = self.version(session_id, None)
        found = fetching.versions_of(
            session_id, newest_first=newest_first, after=after, limit=limit
        )
        shown = found[:limit]
        states: dict[tuple[str, int], bytes] = {}
        if paging.flag_of(request, "include_state"):
            shown = listing.within_bytes(shown, lambda version: version.body_size)
            states = fetching.states_there(shown)
        labels = Label.objects.of_session(session_id).by_number(
            [version.number for version in shown]
        )
        lowest = min((version.number for version in shown), default=head.number)
        ranges = live_ranges(session_id, head.number, down_to=lowest)
        objects = [
            shapes.version_object(
                version,
                labels.get(version.number, []),
                states.get((session_id, version.number)),
            )
            | {"set_aside_by": set_aside_by(ranges, version.number)}
            for version in shown
        ]
        envelope = paging.page(objects, limit, lambda item: str(item["version"]))
        envelope["has_more"] = len(found) > len(shown)
        envelope["current_version"] = head.number
        envelope["removed"] = removed_on_page(
            head,
            [version.number for version in shown],
            newest_first=newest_first,
            after=after,
            has_more=envelope["has_more"],
        )
        return Response(envelope)


class VersionView(TimelineView):
    """One version."""

    @extend_schema(
        operation_id="read_version",
        parameters=SCHEMA,
        responses={200: outputs.Version, **READ_ERRORS, **errors(409, 413, 422)},
    )
    @masked("/state", refused=("schema", "schema_from"))
    def get(self, request: Request, session_id: str, number: str) -> Response:
        """Read a version with its state; -1 is the one before the head."""
        under = Under.of(request)
        version = self.version(session_id, whole_number(number, "version"))
        labels = Label.objects.of_session(session_id).by_number([version.number])
        head = self.version(session_id, None)
        ranges = live_ranges(session_id, head.number, down_to=version.number)
        state = reading.state(version) if under is None else under.shown(version)
        body = shapes.version_object(version, labels.get(version.number, []), state) | {
            "set_aside_by": set_aside_by(ranges, version.number)
        }
        if under is not None:
            body |= under.told(version)
        return Response(body, headers={"ETag": f'"v{version.number}"'})


class CheckpointView(TimelineView):
    """Everything to resume from."""

    @extend_schema(
        operation_id="read_checkpoint",
        parameters=[
            OpenApiParameter(
                "version", int, description="The head if unset; -1 the one before."
            ),
            *SCHEMA,
            *AHEAD,
        ],
        responses={200: ResumedCheckpoint, **READ_ERRORS, **errors(409, 413, 422)},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Read the whole bundle of the head or any version, and what to go on with.

        Open approvals and unknown effects are those of the session as it is now. Under
        `schema` the state is migrated, and so is what the next task is read from.
        `moves` says onto which other code this goes: read it before a fork or a resume.
        """
        under = Under.of(request)
        number = paging.integer_of(request, "version", minimum=-(2**31), maximum=2**53)
        version = self.version(session_id, number)
        parts = reading.parts(version)
        body = shapes.checkpoint_object(version, parts) | {"migrated_from": None}
        if under is not None:
            parts = under.parts(version, parts)
            body |= {"state": Fragment(reading.state_part(parts))}
            body |= under.told(version)
        body |= resuming(version, parts, now=self.now)
        ahead = ahead_of(request, under.to if under else None)
        body["moves"] = [move_object(one) for one in moves(version, ahead)]
        return Response(body, headers={"ETag": f'"v{version.number}"'})


class LabelsView(TimelineView):
    """The labels of one version."""

    @extend_schema(
        operation_id="label_version",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=LabelInput,
        examples=examples.LABEL,
        responses={201: outputs.Label, **LABEL_ERRORS},
    )
    def post(self, request: Request, session_id: str, number: str) -> Response:
        """Give the version a label; giving it twice is giving it once."""
        return answered(
            request,
            scope=self.scope,
            perform=lambda: (201, json.dumps(self._labelled(session_id, number))),
        )

    def _labelled(self, session_id: str, number: str) -> dict[str, Any]:
        label = timeline.label(
            session_id=session_id,
            number=whole_number(number, "version"),
            name=self.read(LabelInput).validated_data["label"],
            act=self.act,
        )
        return {
            "object": "label",
            "session_id": session_id,
            "version": label.number,
            "label": label.name,
            "created_at": utc_text(label.created_at),
            "created_by": label.actor_label,
        }


class LabelView(TimelineView):
    """One label of one version."""

    @extend_schema(
        operation_id="unlabel_version",
        parameters=[parameters.IDEMPOTENCY_KEY],
        responses={204: None, **errors(400, 401, 403, 404, 422, 429, 503)},
    )
    def delete(
        self, request: Request, session_id: str, number: str, label: str
    ) -> Response:
        """Take the label away; the trace keeps that it was there."""

        def unlabel() -> tuple[int, bytes]:
            timeline.unlabel(
                session_id=session_id,
                number=whole_number(number, "version"),
                name=label,
                act=self.act,
            )
            return 204, b""

        return answered(request, scope=self.scope, perform=unlabel)


class StateHistoryView(TimelineView):
    """Every state there was."""

    @extend_schema(
        operation_id="list_states",
        parameters=[
            parameters.limit(50),
            parameters.SINCE_VERSION,
            parameters.order("asc"),
            parameters.include("include_state", default=True),
        ],
        responses={200: outputs.StateHistory, **READ_ERRORS},
    )
    @masked("/data/*/state")
    def get(self, request: Request, session_id: str) -> Response:
        """List versions with their states, oldest first unless asked otherwise."""
        limit = paging.limit_of(request, default=50)
        newest_first = parameters.newest_first(request, default=False)
        since = paging.integer_of(request, "since_version", minimum=-1, maximum=2**53)
        head = self.version(session_id, None)
        found = fetching.versions_of(
            session_id, newest_first=newest_first, after=since, limit=limit
        )
        shown = found[:limit]
        if paging.flag_of(request, "include_state", default=True):
            shown = listing.within_bytes(shown, lambda version: version.body_size)
            states = fetching.states_there(shown)
        else:
            states = {}
        data: list[dict[str, Any]] = [
            shapes.version_object(version, [], states.get((session_id, version.number)))
            for version in shown
        ]
        return Response(
            {
                "object": "list",
                "session_id": session_id,
                "data": data,
                "removed": removed_on_page(
                    head,
                    [version.number for version in shown],
                    newest_first=newest_first,
                    after=since,
                    has_more=len(found) > len(shown),
                ),
                "current_version": head.number,
                "has_more": len(found) > len(shown),
            }
        )
