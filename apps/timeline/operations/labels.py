"""Naming versions, and what may change about a session: title, metadata, lifetime.

None of it is state: no version is made, history is not touched. Each act is one
transaction with its event, under the session's row lock.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.covered import Row
from apps.core import json, sql
from apps.core.errors import InvalidRequest
from apps.core.json import Json
from apps.timeline.covered import LABEL, SESSION
from apps.timeline.errors import LabelNotFound, SessionNotFound
from apps.timeline.ledger.facts.about import (
    UNSAID,
    Unsaid,
    metadata_bytes,
    require_title,
    require_ttl,
)
from apps.timeline.ledger.locking import lock_existing
from apps.timeline.models import Label, Session
from apps.timeline.projection import labelling
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import require_text

MAX_LABEL = 100


@transaction.atomic
def label(
    *,
    act: Act,
    session_id: str,
    number: int,
    name: str,
) -> Label:
    """Give a version a name; giving it twice is giving it once.

    Raises: SessionNotFound, VersionNotFound, InvalidRequest.
    """
    _require_label(name)
    fetching.version(act.scope, session_id, number, now=act.now)
    # Whoever gives and whoever takes a label of one name must not miss each other, nor
    # may a removal take the version in between.
    lock_existing(session_id)
    version = fetching.version(act.scope, session_id, number, now=act.now)
    actor = act.actor
    # The insert decides between two at once: only the one that made the row records.
    made = sql.rows(
        sql.of_session("""
        INSERT INTO timeline_label (session_id, name, number, actor_kind, actor_id,
                                    actor_label, created_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT DO NOTHING RETURNING 1
        """),
        [session_id, name, version.number, actor.kind, actor.id, actor.label, act.now],
    )
    labels = Label.objects.of_session(session_id)
    given = labels.get(name=name, number=version.number)
    if made:
        labelling.note(act.project, session_id, version.number, name)
        left = LABEL.left(given, act.project.index_key)
        _record(Action.VERSION_LABELLED, act, given, left)
    return given


@transaction.atomic
def unlabel(
    *,
    act: Act,
    session_id: str,
    number: int,
    name: str,
) -> None:
    """Take a name away from a version; the record keeps that it had it.

    Raises: SessionNotFound, VersionNotFound, LabelNotFound.
    """
    version = fetching.version(act.scope, session_id, number, now=act.now)
    # Whoever gives and whoever takes a label of one name must not miss each other.
    lock_existing(session_id)
    labels = Label.objects.of_session(session_id)
    taken = labels.filter(name=name, number=version.number)
    given = taken.first()
    if given is None or not taken.delete()[0]:
        raise LabelNotFound
    labelling.note(act.project, session_id, version.number, name)
    _record(Action.VERSION_UNLABELLED, act, given, LABEL.removed(given))


@transaction.atomic
def update_metadata(
    *,
    act: Act,
    session_id: str,
    title: str | Unsaid | None = UNSAID,
    metadata: dict[str, Json] | None = None,
    ttl_seconds: int | None = None,
) -> Session:
    """Set the session's title, merge keys into its metadata, set how long it lives.

    A key set to null is removed, and so is a title. `ttl_seconds` counts from now; 0
    lifts the limit. Events say that there is a title, not which.

    Raises: SessionNotFound, AgentSuspended, AgentDeleted, InvalidRequest (also for
    nothing), UnacceptableJson, PayloadTooLarge.
    """
    session = _locked(act, session_id)
    if act.actor.is_agent:
        session.agent.require_writing()
    if title is UNSAID and not metadata and ttl_seconds is None:
        raise InvalidRequest("There is nothing to change.", param="metadata")
    changed: list[str] = ["updated_at"]
    details: dict[str, Any] = {}
    if title is not UNSAID:
        require_title(title)
        session.title = title
        details["title"] = "removed" if title is None else "set"
        changed.append("title")
    if metadata is not None:
        before = json.parse(bytes(session.metadata))
        after = {k: v for k, v in {**before, **metadata}.items() if v is not None}
        session.metadata = metadata_bytes(after)
        session.metadata_index = json.cleaned(after)
        details["metadata_diff"] = _difference(before, after)
        changed += ["metadata", "metadata_index"]
    if ttl_seconds is not None:
        _set_lifetime(session, ttl_seconds, act.now)
        details["ttl_seconds"] = session.ttl_seconds
        changed += ["ttl_seconds", "expires_at"]
    session.updated_at = max(session.updated_at, act.now)
    session.save(update_fields=changed)
    audit.record_act(
        stream_id=session.id,
        project_id=session.project_id,
        action=Action.SESSION_UPDATED,
        resource_type="session",
        resource_id=session.id,
        act=act,
        details=details | SESSION.left(session, act.project.index_key).details(),
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


def _locked(act: Act, session_id: str) -> Session:
    fetching.head(act.scope, session_id, now=act.now)
    session = (
        Session.objects.of_project(act.project_id)
        .alive(now=act.now)
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


def _record(action: Action, act: Act, label: Label, row: Row) -> None:
    audit.record_act(
        stream_id=label.session_id,
        project_id=act.project_id,
        action=action,
        resource_type="version",
        resource_id=label.session_id,
        act=act,
        details={"label": json.cleaned(label.name), "version": label.number}
        | row.details(),
        number=label.number,
    )
