"""Incidents over REST: open, read, change, write notes, take sessions out, report."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.agents.api.answers import act_of, answered
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.incidents import operations as incidents
from apps.incidents.api import shapes
from apps.incidents.api.serializers import (
    ChangeInput,
    IncidentInput,
    IncidentListOutput,
    IncidentOutput,
    MemberListOutput,
    NoteInput,
    NoteListOutput,
    NoteOutput,
    ReportOutput,
)
from apps.incidents.listing import members_seen, rows_of
from apps.incidents.models import Entry, Incident, Member
from apps.incidents.operations import Collected
from apps.incidents.reports import report_of
from apps.incidents.seeing import incidents_seen
from apps.incidents.words import Status
from apps.timeline.api import parameters

INCIDENT_ID = re.compile(r"incd_[0-9a-z]{26}", re.ASCII)
SESSION_ID = re.compile(r"sess_[0-9a-z]{26}", re.ASCII)
ENTRY_ID = re.compile(r"inct_[0-9a-z]{26}", re.ASCII)
WRITE_ERRORS = errors(400, 401, 403, 404, 413, 422, 429, 503)
INCIDENT = OpenApiParameter(
    "incident_id", str, OpenApiParameter.PATH, description="The incident's `id`."
)
SESSION = OpenApiParameter(
    "session_id", str, OpenApiParameter.PATH, description="The session's `id`."
)
AFTER = parameters.text("starting_after", "The `last_id` of the page before.")
WAYS = ("search", "sessions", "release")


class IncidentView(ApiView):
    """What the views of incidents have in common."""

    def seen(self, request: Request, incident_id: str) -> tuple[Act, Incident]:
        """Return who asks and the incident, if they see it.

        Raises: IncidentNotFound.
        """
        act = act_of(request)
        return act, incidents_seen(act.scope).one(incident_id)

    def perform(
        self, request: Request, verb: Callable[[Act], Any], *, status: int = 200
    ) -> Response:
        """Answer what a verb returns, done once for one idempotency key."""
        act = act_of(request)

        def perform() -> tuple[int, bytes]:
            body = verb(act)
            return status, b"" if body is None else json.dumps(body)

        return answered(request, scope=act.scope, perform=perform)


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
        ],
        responses={200: IncidentListOutput} | errors(400, 401, 403),
    )
    def get(self, request: Request) -> Response:
        """List incidents, the newest first."""
        act, limit = act_of(request), paging.limit_of(request)
        after = _after(request, INCIDENT_ID, "an incident")
        status = paging.text_of(request, "status")
        if status is not None and status not in Status.values:
            raise InvalidRequest(
                f"status takes {', '.join(Status.values)}.", param="status"
            )
        found = incidents_seen(act.scope).with_status(status).older_than(after)
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
        after = _after(request, ENTRY_ID, "a note")
        told = Entry.objects.of_incident(incident.id).told_to(act.actor, act.scope)
        rows = list(told.newer_than(after).in_order()[: limit + 1])
        return Response(
            paging.page(rows, limit, lambda one: str(one.id), shapes.entry_object)
        )


class IncidentMembers(IncidentView):
    """`/v1/incidents/{incident_id}/members`"""

    @extend_schema(
        operation_id="list_incident_members",
        parameters=[INCIDENT, parameters.limit(20), AFTER],
        responses={200: MemberListOutput} | errors(400, 401, 403, 404),
    )
    def get(self, request: Request, incident_id: str) -> Response:
        """List the sessions of an incident, also those that were taken out."""
        act, incident = self.seen(request, incident_id)
        limit = paging.limit_of(request)
        after = _after(request, SESSION_ID, "a session")
        found = members_seen(incident, act.scope).newest_first(after_id=after)
        rows = rows_of(act, list(found[: limit + 1]))
        return Response(
            paging.page(
                rows,
                limit,
                lambda one: str(one.member.session_id),
                partial(shapes.member_object, act=act),
            )
        )


class IncidentMember(IncidentView):
    """`/v1/incidents/{incident_id}/members/{session_id}`"""

    @extend_schema(
        operation_id="remove_incident_member",
        parameters=[INCIDENT, SESSION, IDEMPOTENCY_KEY],
        request=None,
        responses={204: None} | WRITE_ERRORS,
    )
    def delete(self, request: Request, incident_id: str, session_id: str) -> Response:
        """Take a session out of an incident; that it was in it stays said."""

        def verb(act: Act) -> None:
            incidents.remove(act=act, incident_id=incident_id, session_id=session_id)

        return self.perform(request, verb, status=204)


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


def _after(request: Request, pattern: re.Pattern[str], what: str) -> str | None:
    after = paging.text_of(request, "starting_after")
    if after is not None and not pattern.fullmatch(after):
        raise InvalidRequest(
            f"starting_after takes the id of {what}.", param="starting_after"
        )
    return after
