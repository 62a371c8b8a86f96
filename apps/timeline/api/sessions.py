"""`/v1/sessions`: create, list, read, change, delete, fork."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from orjson import Fragment
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import answered
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters, shapes
from apps.timeline.api.base import TimelineView
from apps.timeline.api.inputs.sessions import (
    AboutInput,
    CreateInput,
    ForkInput,
    MetadataInput,
)
from apps.timeline.api.masks.masked import masked
from apps.timeline.api.states import READ_ERRORS, WRITE_ERRORS
from apps.timeline.bodies import bundles
from apps.timeline.ledger.drafts import Receipt
from apps.timeline.ledger.facts.about import UNSAID
from apps.timeline.models import RequestKey
from apps.timeline.operations import About
from apps.timeline.queries import listing
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import Step

# Whether there is a session with one of these tells what it is, masked or not.
TELLING = ("agent_id", "user_id", "external_id", "metadata")
CREATE_ERRORS = errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503)


class SessionStartView(TimelineView):
    """What creating and forking have in common."""

    def about(self, given: AboutInput) -> About:
        data = given.validated_data
        return About(
            user_id=data.get("user_id"),
            external_id=data.get("external_id"),
            title=data.get("title"),
            metadata=data.get("metadata"),
            ttl_seconds=data.get("ttl_seconds"),
        )

    def started(self, receipt: Receipt) -> Response:
        """Answer with the session as it began, now or when it was first asked for."""
        session = self.session(receipt.session_id)
        first = self.version(receipt.session_id, 0)
        asked = None
        if receipt.is_replay:
            asked = RequestKey.objects.filter(
                project_id=self.scope.project.id, key=self.act.request.key
            ).first()
        body = shapes.first_session_object(
            session, first, reading.state(first), asked
        ) | {"session_id": session.id, "trace_id": first.trace_id}
        if session.origin_session_id is not None:
            body["new_session_id"] = session.id
        return self.answer(body, receipt, 0, status=201)


class SessionsView(SessionStartView):
    """All sessions of the project."""

    refused_parameters = {
        "objective_status": "it is of each version; read it in a session's `/versions`."
    }

    @extend_schema(
        operation_id="list_sessions",
        parameters=parameters.SESSIONS,
        responses={200: outputs.SessionList, **READ_ERRORS, **errors(422)},
    )
    @masked("/data/*/state", refused=TELLING)
    def get(self, request: Request) -> Response:
        """List sessions, newest first; expired and deleted ones are left out."""
        limit = paging.limit_of(request)
        found = listing.sessions(
            self.scope,
            listing.SessionFilter(
                agent=paging.text_of(request, "agent_id"),
                user=paging.text_of(request, "user_id"),
                status=parameters.status_of(request),
                external_id=paging.text_of(request, "external_id"),
                review=parameters.review_of(request),
                score=parameters.score_of(request),
                forked_from=paging.text_of(request, "forked_from"),
                metadata=paging.json_object_of(request, "metadata"),
                created_after=paging.moment_of(request, "created_after"),
                created_before=paging.moment_of(request, "created_before"),
            ),
            # As of memories, the beginning of an id is a place too.
            after_id=paging.cursor_of(request, "sess", shortest=1),
            limit=limit,
            now=self.now,
        )
        heads = fetching.heads([session.id for session in found[:limit]])
        shown = listing.within_bytes(
            found[:limit], lambda session: heads[session.id].body_size
        )
        states = fetching.states([heads[session.id] for session in shown])
        counts = self.memory_counts([session.id for session in shown])
        objects = [
            shapes.session_object(
                session,
                heads[session.id],
                states[session.id, heads[session.id].number],
                memory_count=counts.get(session.id, 0),
            )
            for session in shown
        ]
        envelope = paging.page(objects, limit, lambda shown: str(shown["id"]))
        envelope["has_more"] = len(found) > len(shown)
        return Response(envelope)

    @extend_schema(
        operation_id="create_session",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=CreateInput,
        examples=examples.CREATE,
        responses={201: outputs.StartedSession, **CREATE_ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Start a session with version 0."""
        given = self.read(CreateInput)
        receipt = timeline.create(
            agent=given.validated_data["agent_id"],
            state=given.validated_data.get("initial_state") or {},
            about=self.about(given),
            parts=bundles.named_parts(given.validated_data),
            step=given.step(),
            act=self.act,
        )
        return self.started(receipt)


class SessionView(TimelineView):
    """One session."""

    @extend_schema(
        operation_id="read_session",
        responses={200: outputs.Session, **READ_ERRORS},
    )
    @masked("/state")
    def get(self, request: Request, session_id: str) -> Response:
        """Read a session with the state of its head."""
        session = self.session(session_id)
        head = self.version(session_id, None)
        rollback = shapes.last_rollback(fetching.last_rollback(head))
        body = shapes.session_object(
            session,
            head,
            reading.state(head),
            last_rollback=rollback,
            memory_count=self.memory_counts([session_id]).get(session_id, 0),
            spent=None
            if not session.turn_count
            else shapes.spent_object(listing.spent(session_id)),
        )
        return Response(body, headers={"ETag": f'"v{head.number}"'})

    @extend_schema(
        operation_id="update_session",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=MetadataInput,
        examples=examples.METADATA,
        responses={200: outputs.SessionMetadata, **CREATE_ERRORS},
    )
    def patch(self, request: Request, session_id: str) -> Response:
        """Set the title, merge metadata, set the time to live; no version is made."""
        return answered(
            request,
            scope=self.scope,
            perform=lambda: (200, json.dumps(self._updated(session_id))),
        )

    @extend_schema(
        operation_id="delete_session",
        parameters=[parameters.IDEMPOTENCY_KEY],
        responses={204: None, **errors(400, 401, 403, 404, 422, 429, 503)},
    )
    def delete(self, request: Request, session_id: str) -> Response:
        """Delete the session for agents; its evidence stays."""
        receipt = timeline.delete(
            session_id=session_id,
            step=Step(),
            act=self.act,
        )
        return self.answer(None, receipt, status=204)

    def _updated(self, session_id: str) -> dict[str, object]:
        given = self.read(MetadataInput).validated_data
        session = timeline.update_metadata(
            session_id=session_id,
            title=given.get("title", UNSAID),
            metadata=given.get("metadata"),
            ttl_seconds=given.get("ttl_seconds"),
            act=self.act,
        )
        return {
            "object": "session",
            "id": session.id,
            "agent_id": session.agent.external_id,
            "updated_at": utc_text(session.updated_at),
            "title": session.title,
            "metadata": Fragment(bytes(session.metadata)),
            "ttl_expires_at": utc_text(session.expires_at),
        }


class ForkView(SessionStartView):
    """A new session from any version of this one."""

    @extend_schema(
        operation_id="fork",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=ForkInput,
        examples=examples.FORK,
        responses={201: outputs.StartedSession, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Fork a version, by default the head, into a session of its own."""
        given = self.read(ForkInput)
        data = given.validated_data
        if data.get("source_session_id") not in (None, session_id):
            message = "The session that is forked is the one of the address."
            fault = InvalidRequest(message, param="source_session_id")
            self.refuse_unless_stored(fault)
        receipt = timeline.fork(
            origin=given.origin(session_id),
            edit=given.edit(),
            agent=data.get("agent_id") or data.get("new_agent_id"),
            about=self.about(given),
            step=given.step(),
            act=self.act,
        )
        return self.started(receipt)
