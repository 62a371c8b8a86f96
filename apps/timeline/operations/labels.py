"""Naming versions, and what may change about a session: labels, metadata, lifetime.

None of it is state: no version is made, history is not touched. Each act is one
transaction with its event, under the session's row lock.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from apps.agents.errors import AgentSuspended
from apps.agents.scope import Scope
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import json, sql
from apps.core.actors import Actor
from apps.core.errors import InvalidRequest
from apps.core.json import Json
from apps.timeline.errors import LabelNotFound, SessionNotFound
from apps.timeline.ledger.drafts import Request, require_text
from apps.timeline.ledger.facts.about import metadata_bytes, require_ttl
from apps.timeline.ledger.locking import lock_session
from apps.timeline.models import Label, Session
from apps.timeline.search import labelling
from apps.timeline.versions import reading

MAX_LABEL = 100


@transaction.atomic
def label(
    *,
    scope: Scope,
    session_id: str,
    number: int,
    name: str,
    actor: Actor,
    now: datetime,
    request: Request,
) -> Label:
    """Give a version a name; giving it twice is giving it once.

    Raises: SessionNotFound, VersionNotFound, InvalidRequest.
    """
    _require_label(name)
    version = reading.version(scope, session_id, number, now=now)
    # Whoever gives and whoever takes a label of one name must not miss each other.
    lock_session(session_id)
    # The insert decides between two at once: only the one that made the row records.
    made = sql.rows(
        """
        INSERT INTO timeline_label (session_id, name, number, actor_kind, actor_id,
                                    actor_label, created_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT DO NOTHING RETURNING 1
        """,
        [session_id, name, version.number, actor.kind, actor.id, actor.label, now],
    )
    if made:
        labelling.note(scope.project, session_id, version.number, name)
        _record(Action.VERSION_LABELLED, scope, version, name, actor, now, request)
    labels = Label.objects.of_session(session_id)
    return labels.get(name=name, number=version.number)


@transaction.atomic
def unlabel(
    *,
    scope: Scope,
    session_id: str,
    number: int,
    name: str,
    actor: Actor,
    now: datetime,
    request: Request,
) -> None:
    """Take a name away from a version; the record keeps that it had it.

    Raises: SessionNotFound, VersionNotFound, LabelNotFound.
    """
    version = reading.version(scope, session_id, number, now=now)
    # Whoever gives and whoever takes a label of one name must not miss each other.
    lock_session(session_id)
    labels = Label.objects.of_session(session_id)
    deleted, _ = labels.filter(name=name, number=version.number).delete()
    if not deleted:
        raise LabelNotFound
    labelling.note(scope.project, session_id, version.number, name)
    _record(Action.VERSION_UNLABELLED, scope, version, name, actor, now, request)


@transaction.atomic
def update_metadata(
    *,
    scope: Scope,
    session_id: str,
    metadata: dict[str, Json] | None = None,
    ttl_seconds: int | None = None,
    actor: Actor,
    now: datetime,
    request: Request,
) -> Session:
    """Merge top-level keys into the session's metadata, and set how long it lives.

    A key set to null is removed. `ttl_seconds` counts from now; 0 lifts the limit.

    Raises: SessionNotFound, AgentSuspended, InvalidRequest (also for nothing),
    UnacceptableJson, PayloadTooLarge.
    """
    session = _locked(scope, session_id, now)
    if actor.is_agent and session.agent.is_suspended:
        raise AgentSuspended
    if not metadata and ttl_seconds is None:
        raise InvalidRequest("There is nothing to change.", param="metadata")
    changed: list[str] = ["updated_at"]
    details: dict[str, Any] = {}
    if metadata is not None:
        before = json.parse(bytes(session.metadata))
        after = {k: v for k, v in {**before, **metadata}.items() if v is not None}
        session.metadata = metadata_bytes(after)
        session.metadata_index = json.cleaned(after)
        details["metadata_diff"] = _difference(before, after)
        changed += ["metadata", "metadata_index"]
    if ttl_seconds is not None:
        _set_lifetime(session, ttl_seconds, now)
        details["ttl_seconds"] = session.ttl_seconds
        changed += ["ttl_seconds", "expires_at"]
    session.updated_at = max(session.updated_at, now)
    session.save(update_fields=changed)
    records = audit.record if actor.is_agent else audit.record_act
    records(
        stream_id=session.id,
        project_id=session.project_id,
        action=Action.SESSION_UPDATED,
        resource_type="session",
        resource_id=session.id,
        actor=actor,
        now=now,
        request_id=request.id,
        details=details,
    )
    return session


def _set_lifetime(session: Session, ttl_seconds: int, now: datetime) -> None:
    if ttl_seconds == 0:
        session.ttl_seconds = session.expires_at = None
        return
    require_ttl(ttl_seconds)
    session.ttl_seconds = ttl_seconds
    session.expires_at = now + timedelta(seconds=ttl_seconds)


def _difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    found = {
        "added": {k: v for k, v in after.items() if k not in before},
        "removed": {k: v for k, v in before.items() if k not in after},
        "modified": {
            k: {"from": before[k], "to": v}
            for k, v in after.items()
            if k in before and json.dumps(before[k]) != json.dumps(v)
        },
    }
    cleaned: dict[str, Any] = json.cleaned(found, max_depth=5, max_entries=200)
    return cleaned


def _locked(scope: Scope, session_id: str, now: datetime) -> Session:
    reading.head(scope, session_id, now=now)
    session = (
        Session.objects.of_project(scope.project.id)
        .alive(now=now)
        # Once its end was recorded it is over, also for a clock that is behind.
        .filter(expired_at__isnull=True)
        .select_related("agent")
        .select_for_update(no_key=True, of=("self",))
        .filter(id=session_id)
        .first()
    )
    if session is None:
        raise SessionNotFound
    return session


def _require_label(name: str) -> None:
    require_text("label", name, MAX_LABEL)
    if not name.strip() or not name.isprintable():
        raise InvalidRequest("A label is printable text.", param="label")


def _record(
    action: Action,
    scope: Scope,
    version: reading.VersionRow,
    name: str,
    actor: Actor,
    now: datetime,
    request: Request,
) -> None:
    records = audit.record if actor.is_agent else audit.record_act
    records(
        stream_id=version.session_id,
        project_id=scope.project.id,
        action=action,
        resource_type="version",
        resource_id=version.session_id,
        actor=actor,
        now=now,
        request_id=request.id,
        details={"label": json.cleaned(name), "version": version.number},
        number=version.number,
    )
