"""Checkpoints of agents' data where a release of the agent begins.

A release is noted when events of a session are fed whose head names it, in a second
or two; what the agent keeps then is what the release found. Of the first release that
an agent ever names there is none: there is nothing to go back to before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from django.db import transaction

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.errors import AgentDeleted, AgentNotFound
from apps.agents.scope import Scope
from apps.audit.entries import Entry
from apps.core import sql
from apps.core.actors import Actor
from apps.core.ids import new_id
from apps.core.provenance import Request
from apps.data.documents.known import Known
from apps.data.models import Release
from apps.data.operations.checkpoints import (
    MAX_LABEL,
    NewCheckpoint,
    create_checkpoint,
)
from apps.timeline import queries
from apps.timeline.operations import Document

# What one sweep makes; the next one goes on.
MOST = 500
# An agent that names a release for each of its runs is no reason for so many
# checkpoints, which in the end would hide those that people have made.
APART = timedelta(minutes=15)
SESSION = "sess_"

log = structlog.get_logger("stepback.data")

_NAMED = sql.across("""
SELECT DISTINCT s.project_id, s.agent_id, v.release
  FROM timeline_session s
  JOIN timeline_version v ON v.session_id = s.id AND v.number = s.head_number
 WHERE s.id = ANY (%(sessions)s::text[]) AND s.kind = 'session' AND v.release > ''
 LIMIT %(most)s
""")
_NOTE = """
INSERT INTO data_release (session_id, name, project_id, agent_id, noted_at)
SELECT n.document, n.name, n.project, n.agent, %(now)s::timestamptz
  FROM unnest(%(documents)s::text[], %(names)s::text[], %(projects)s::text[],
              %(agents)s::text[]) n (document, name, project, agent)
 ORDER BY 1, 2
    ON CONFLICT DO NOTHING
RETURNING 1
"""
# What this process has noted, or found noted.
_noted: Known[tuple[str, str], bool] = Known()


def note_releases(entries: Sequence[Entry], now: datetime) -> None:
    """Note the releases that these events' sessions are of, where they are new."""
    sessions = {one.stream_id for one in entries if one.stream_id.startswith(SESSION)}
    if not sessions:
        return
    asked = {"sessions": sql.text_array(sorted(sessions)), "most": len(sessions)}
    found = sql.rows(_NAMED, asked)
    new = [one for one in found if not _noted.get((one.agent_id, one.release))]
    projects = Project.objects.in_bulk({one.project_id for one in new}) if new else {}
    new = [one for one in new if one.project_id in projects]
    if new:
        documents = [
            Document.of_agent(projects[one.project_id], one.agent_id) for one in new
        ]
        told = {
            "documents": sql.text_array(one.id for one in documents),
            "names": sql.text_array(one.release for one in new),
            "projects": sql.text_array(one.project_id for one in new),
            "agents": sql.text_array(one.agent_id for one in new),
        }
        sql.rows(_NOTE, told | {"now": now})
        transaction.on_commit(lambda: _remember(new))


def keep_before_releases(*, actor: Actor, now: datetime) -> int:
    """Make the checkpoints of releases that were noted; return how many were made.

    One that fails holds up no other, and is tried again.
    """
    made = 0
    new = Release.objects.filter(kept_at__isnull=True).order_by("noted_at")
    for document_id, name in list(new.values_list("session_id", "name")[:MOST]):
        try:
            made += _keep(document_id, name, actor, now)
        except Exception:
            log.exception("a checkpoint before a release failed", document=document_id)
    return made


@transaction.atomic
def _keep(document_id: str, name: str, actor: Actor, now: datetime) -> int:
    """Make the checkpoint, unless another worker has it in hand or it is not to be."""
    rows = Release.objects.select_for_update(skip_locked=True)
    one = rows.filter(session_id=document_id, name=name, kept_at__isnull=True).first()
    if one is None:
        return 0
    Release.objects.filter(session_id=document_id, name=name).update(kept_at=now)
    others = Release.objects.filter(session_id=document_id).exclude(name=name)
    before = others.filter(noted_at__lte=one.noted_at)
    is_too_soon = before.filter(noted_at__gt=one.noted_at - APART).exists()
    if is_too_soon or not before.exists():
        return 0
    if queries.standing(document_id, now=now) is None:
        return 0
    try:
        with transaction.atomic():
            create_checkpoint(
                act=_act(one, actor, now), reference=one.agent_id, said=_said(name)
            )
    except (AgentDeleted, AgentNotFound):
        return 0
    return 1


def _act(one: Release, actor: Actor, now: datetime) -> Act:
    project = Project.objects.get(id=one.project_id)
    request = Request(id=new_id("req", now=now))
    return Act(scope=Scope(project), actor=actor, now=now, request=request)


def _said(name: str) -> NewCheckpoint:
    return NewCheckpoint(
        label=f"before release {name}"[:MAX_LABEL],
        description="Made by itself when the first version of the release was seen.",
        metadata={"release": name[:MAX_LABEL]},
    )


def _remember(found: Sequence[tuple[str, str, str]]) -> None:
    for _, agent_id, name in found:
        _noted.learn((agent_id, name), True)
