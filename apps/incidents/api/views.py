"""Incidents over REST: open, read, change, write notes, report."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.agents.api.answers import act_of
from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.incidents import operations as incidents
from apps.incidents.api import shapes
from apps.incidents.api.base import (
    AFTER,
    INCIDENT,
    WRITE_ERRORS,
    IncidentView,
)
from apps.incidents.api.serializers import (
    ChangeInput,
    IncidentInput,
    IncidentListOutput,
    IncidentOutput,
    NoteInput,
    NoteListOutput,
    NoteOutput,
    ReportOutput,
)
from apps.incidents.models import Entry, Member
from apps.incidents.operations import Collected
from apps.incidents.reports import report_of
from apps.incidents.seeing import incidents_seen
from apps.incidents.words import Status
from apps.timeline.api import parameters

WAYS = ("search", "sessions", "release")


class IncidentCollection(IncidentView):
    """`/v1/incidents`"""

    @extend_schema(
        operation_id="open_incident",
        parameters=[IDEMPOTENCY_KEY],
        request=IncidentInput,
        responses={201: IncidentOutput} | WRITE_ERRORS,
    )
    def post(self, request: Request) -> Response:
        """Open an incident over the sessions that are named, or that are found.

        Their list is frozen, with what their heads say now.
        """
        said = self.read(IncidentInput).validated_data

        def verb(act: Act) -> dict[str, Any]:
            opened = incidents.open_incident(
                act=act,
                title=said["title"],
                collected=_collected(act, said),
                check=said.get("check"),
            )
            return shapes.incident_object(opened, act)

        return self.perform(request, verb, status=201)

    @extend_schema(
        operation_id="list_incidents",
        parameters=[
            parameters.limit(20),
            AFTER,
            OpenApiParameter(
                "status", str, enum=Status.values, description="How they stand."
            ),
            OpenApiParameter("number", int, description="The one of this number."),
        ],
        responses={200: IncidentListOutput} | errors(400, 401, 403),
    )
    def get(self, request: Request) -> Response:
        """List incidents, the newest first."""
        act, limit = act_of(request), paging.limit_of(request)
        after = paging.cursor_of(request, "incd")
        status = paging.text_of(request, "status")
        if status is not None and status not in Status.values:
            raise InvalidRequest(
                f"status takes {', '.join(Status.values)}.", param="status"
            )
        number = paging.integer_of(request, "number", minimum=1, maximum=2**53)
        found = incidents_seen(act.scope).with_status(status).numbered(number)
        found = found.older_than(after)
        rows = list(found.newest_first()[: limit + 1])
        seen = Member.objects.seen_by(act.scope)
        counts = seen.counts([one.id for one in rows])
        return Response(
            paging.page(
                rows,
                limit,
                lambda one: str(one.id),
                lambda one: shapes.listed_incident(one, act, counts.get(one.id, 0)),
            )
        )


class IncidentDetail(IncidentView):
    """`/v1/incidents/{incident_id}`"""

    @extend_schema(
        operation_id="get_incident",
        parameters=[INCIDENT],
        responses={200: IncidentOutput} | errors(401, 403, 404),
    )
    def get(self, request: Request, incident_id: str) -> Response:
        """Return an incident, and how many sessions it has by what they share."""
        act, incident = self.seen(request, incident_id)
        return Response(shapes.incident_object(incident, act))

    @extend_schema(
        operation_id="change_incident",
        parameters=[INCIDENT, IDEMPOTENCY_KEY],
        request=ChangeInput,
        responses={200: IncidentOutput} | WRITE_ERRORS,
    )
    def patch(self, request: Request, incident_id: str) -> Response:
        """Change what is named of an incident; its history says what was changed."""
        said = self.read(ChangeInput).validated_data

        def verb(act: Act) -> dict[str, Any]:
            changed = incidents.change(act=act, incident_id=incident_id, **said)
            return shapes.incident_object(changed, act)

        return self.perform(request, verb)


class IncidentNotes(IncidentView):
    """`/v1/incidents/{incident_id}/notes`"""

    @extend_schema(
        operation_id="note_on_incident",
        parameters=[INCIDENT, IDEMPOTENCY_KEY],
        request=NoteInput,
        responses={201: NoteOutput} | WRITE_ERRORS,
    )
    def post(self, request: Request, incident_id: str) -> Response:
        """Write a note on an incident: it is kept as it was written."""
        text = self.read(NoteInput).validated_data["text"]

        def verb(act: Act) -> dict[str, Any]:
            entry = incidents.note(act=act, incident_id=incident_id, text=text)
            return shapes.entry_object(entry)

        return self.perform(request, verb, status=201)

    @extend_schema(
        operation_id="list_incident_notes",
        parameters=[INCIDENT, parameters.limit(20), AFTER],
        responses={200: NoteListOutput} | errors(400, 401, 403, 404),
    )
    def get(self, request: Request, incident_id: str) -> Response:
        """List what was done with an incident, in order."""
        act, incident = self.seen(request, incident_id)
        limit = paging.limit_of(request)
        after = paging.cursor_of(request, "inct")
        told = Entry.objects.of_incident(incident.id).told_to(act.actor, act.scope)
        rows = list(told.newer_than(after).in_order()[: limit + 1])
        return Response(
            paging.page(rows, limit, lambda one: str(one.id), shapes.entry_object)
        )


class IncidentReport(IncidentView):
    """`/v1/incidents/{incident_id}/report`"""

    @extend_schema(
        operation_id="get_incident_report",
        parameters=[INCIDENT],
        responses={200: ReportOutput} | errors(401, 403, 404),
    )
    def get(self, request: Request, incident_id: str) -> Response:
        """Report an incident: what, since when, how many, what was done, is open."""
        act, incident = self.seen(request, incident_id)
        return Response(shapes.report_object(report_of(incident, act), act))


def _collected(act: Act, said: dict[str, Any]) -> Collected:
    """Raises: InvalidRequest unless the sessions are said in one way."""
    given = [name for name in WAYS if said.get(name) is not None]
    if len(given) != 1:
        raise InvalidRequest(
            "Give one of search, sessions and release.", param="sessions"
        )
    if said.get("search") is not None:
        return Collected.found(act, said["search"])
    if said.get("release") is not None:
        return Collected.of_release(act, said["release"])
    return Collected.named(said["sessions"])
