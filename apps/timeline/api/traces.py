"""`/v1/traces`: every act, under StateBase's names.

What a version says about itself (reasoning, what changed, what was restored) is
rendered from the version, not copied into the event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.actions import Action, actions_named
from apps.audit.models import Event
from apps.audit.querysets import MEMORY
from apps.core import paging
from apps.core.actors import ActorKind
from apps.core.errors import InvalidRequest
from apps.core.time.moments import utc_text
from apps.diffs.pointers import unescape
from apps.timeline.api import outputs, parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.errors import TraceNotFound
from apps.timeline.queries import listing
from apps.timeline.queries.listing import VersionChanges

DEFAULT_LIMIT = 50
# What ids of sessions begin with; a keyed document is none.
SESSION = "sess_"
BODY_ACTIONS = {
    Action.VERSION_CREATED,
    Action.SESSION_ROLLED_BACK,
    Action.SESSION_PROMOTED,
    Action.SESSION_REVERTED,
    Action.SESSION_REAPPLIED,
    Action.SESSION_RESTORED,
    Action.SESSION_MIGRATED,
}


class TracesView(TimelineView):
    """All traces of the project."""

    @extend_schema(
        operation_id="list_traces",
        parameters=[parameters.text("session_id", "One session."), *parameters.TRACES],
        responses={200: outputs.TraceList, **READ_ERRORS},
    )
    def get(self, request: Request) -> Response:
        """List traces, newest first."""
        session_id = paging.text_of(request, "session_id")
        return Response(trace_page(self, request, session_id))


class SessionTracesView(TimelineView):
    """All traces of one session."""

    @extend_schema(
        operation_id="list_session_traces",
        parameters=parameters.TRACES,
        responses={200: outputs.TraceList, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List the traces of a session, newest first."""
        self.version(session_id, None)
        return Response(trace_page(self, request, session_id))


class TraceView(TimelineView):
    """One trace."""

    @extend_schema(
        operation_id="read_trace", responses={200: outputs.Trace, **READ_ERRORS}
    )
    def get(self, request: Request, trace_id: str) -> Response:
        """Read a trace by the id of its event."""
        event = listing.trace(self.scope, trace_id)
        if event is None:
            raise TraceNotFound
        return Response(trace_objects([event])[0])


def trace_page(
    view: TimelineView, request: Request, session_id: str | None
) -> dict[str, Any]:
    limit = paging.limit_of(request, default=DEFAULT_LIMIT)
    wanted = listing.TraceFilter(
        session_id=session_id,
        agent=paging.text_of(request, "agent_id"),
        user=paging.text_of(request, "user_id"),
        actions=_actions(paging.text_of(request, "action")),
        resource_type=paging.text_of(request, "resource_type"),
        resource_id=paging.text_of(request, "resource_id"),
        after=_narrowest(max, request, "created_after", "start_time"),
        before=_narrowest(min, request, "created_before", "end_time"),
    )
    before_id = paging.cursor_of(request, "trace")
    found = listing.traces(view.scope, wanted, before_id=before_id, limit=limit)
    objects = trace_objects(found[:limit])
    envelope = paging.page(objects, limit, lambda item: str(item["id"]))
    envelope["has_more"] = len(found) > limit
    return envelope


def trace_objects(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return events as traces; what their versions say is read in one query."""
    changes = listing.version_changes(
        [
            (event.stream_id, event.number)
            for event in events
            if _is_in_session(event)
            and event.number is not None
            and event.resource_type != "turn"
        ]
    )
    reasons = listing.turn_reasons(
        [
            (event.stream_id, event.resource_id)
            for event in events
            if event.resource_type == "turn"
        ]
    )
    return [_trace(event, _said_by(event, changes, reasons)) for event in events]


def _said_by(
    event: Event,
    changes: dict[tuple[str, int], VersionChanges],
    reasons: dict[tuple[str, str], str | None],
) -> dict[str, Any]:
    """Return the details that the event's version or turn tells."""
    if event.resource_type == "turn":
        return {"reasoning": reasons.get((event.stream_id, event.resource_id))}
    version = changes.get((event.stream_id, event.number or 0))
    return {} if version is None else _details(Action(event.action), version)


def _trace(event: Event, said: dict[str, Any]) -> dict[str, Any]:
    action = Action(event.action)
    is_key = event.actor_kind == ActorKind.KEY
    return {
        "object": "trace",
        "id": event.id,
        "session_id": _session_id(event),
        "action": action.trace_name,
        "event": event.action,
        "resource_type": event.resource_type,
        "resource_id": event.resource_id,
        # Of a memory it is one of the document that holds it, not of the session.
        "version": event.number if _is_in_session(event) else None,
        "actor": f"api_key_{event.actor_label}" if is_key else event.actor_label,
        "actor_id": event.actor_id,
        "actor_kind": event.actor_kind,
        "timestamp": utc_text(event.created_at),
        "created_at": utc_text(event.created_at),
        "details": {**event.details, **said},
        "context": {
            "request_id": event.request_id,
            "api_key_id": event.actor_id if is_key else None,
        },
        "metadata": {"request_id": event.request_id},
        "ip_address": None,
    }


def _is_in_session(event: Event) -> bool:
    return event.stream_id.startswith(SESSION)


def _session_id(event: Event) -> str | None:
    """Return the session that an event is of; of a memory the one that taught it."""
    if _is_in_session(event):
        return event.stream_id
    if event.resource_type != MEMORY:
        return None
    source: str | None = event.details.get("session_id")
    return source


def _details(action: Action, version: VersionChanges | None) -> dict[str, Any]:
    if version is None or action in (
        Action.VERSION_LABELLED,
        Action.VERSION_UNLABELLED,
    ):
        return {}
    details: dict[str, Any] = {
        "version": version.number,
        "trace_id": version.trace_id,
        "reasoning": version.reasoning,
    }
    if action == Action.SESSION_CREATED:
        details |= {"agent_id": version.agent, "user_id": version.user_id}
    if action in BODY_ACTIONS:
        details["state_diff"] = _state_diff(version.changes)
        details["actor"] = version.actor_label
    if action == Action.SESSION_ROLLED_BACK:
        details |= {
            "from_version": version.number - 1,
            "to_version": version.restored_number,
            "reason": version.reasoning,
            "reason_code": version.reason_code,
        }
    return details


def _state_diff(changes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the changes as the contract groups them; a top-level key by its name."""
    diff: dict[str, dict[str, Any]] = {"added": {}, "removed": {}, "modified": {}}
    for change in changes:
        name = change["pointer"].removeprefix("/")
        name = unescape(name) if "/" not in name else change["pointer"]
        if change["kind"] == "added":
            diff["added"][name] = change.get("after")
        elif change["kind"] == "removed":
            diff["removed"][name] = change.get("before")
        else:
            diff["modified"][name] = {
                "from": change.get("before"),
                "to": change.get("after"),
            }
    return diff


def _actions(name: str | None) -> list[Action] | None:
    """Raises: InvalidRequest for a name that nothing is recorded under."""
    if name is None:
        return None
    found = actions_named(name)
    if not found and name == Action.DATA_WRITTEN:
        message = (
            "Each write of data is in its agent's audit: /v1/agents/{agent}/audit."
        )
        raise InvalidRequest(message, param="action")
    if not found:
        meant = next(iter(get_close_matches(name, parameters.ACTION_NAMES, n=1)), None)
        hint = f"did you mean {meant}?" if meant else "/docs lists those that are."
        message = f"Nothing is recorded under this action: {hint}"
        raise InvalidRequest(message, param="action", nearest=meant)
    return found


def _narrowest(
    choose: Callable[[list[datetime]], datetime], request: Request, *names: str
) -> datetime | None:
    """Return the moment that a filter's names leave between them; each is read."""
    given = [paging.moment_of(request, name) for name in names]
    said = [moment for moment in given if moment is not None]
    return choose(said) if said else None
