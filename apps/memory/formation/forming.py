"""Form proposals of turns: noted when the turn is fed, made by the worker.

Idempotent per turn: what a turn said is a proposal once, however often it is formed,
and what somebody has dropped is not proposed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any

import structlog

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.audit.actions import Action
from apps.audit.entries import Entry
from apps.core import json, sql
from apps.core.actors import Actor
from apps.core.errors import DomainError
from apps.core.ids import new_id
from apps.core.provenance import Request
from apps.memory.documents.contents import digest_of
from apps.memory.documents.owners import Place, owner_of, visible_session
from apps.memory.formation.tags import Marked, marked
from apps.memory.models import (
    Formation,
    FormingTurn,
    Memory,
    MemoryScope,
    Mode,
)
from apps.memory.operations.adding import NewMemory, add
from apps.timeline.models import Session, Turn
from apps.timeline.queries import CorruptBody

# What a sweep forms; the next one goes on.
MOST = 200
# Of a proposal: somebody has to accept it.
CONFIDENCE = 0.6

log = structlog.get_logger("stepback.memory")

_AGENTS = sql.across("""
SELECT s.id, s.agent_id FROM timeline_session s
 WHERE s.id = ANY (%(sessions)s::text[]) AND s.kind = 'session' LIMIT %(most)s
""")


def note_turns(entries: Sequence[Entry], now: datetime) -> None:
    """Note the turns among these events that are to form memories."""
    turns = [one for one in entries if one.action == Action.TURN_ADDED]
    projects = {one.project_id for one in turns}
    if not turns or not _forming(projects):
        return
    sessions = {one.stream_id for one in turns}
    asked = {"sessions": sql.text_array(sorted(sessions)), "most": len(sessions)}
    agents = {row.id: row.agent_id for row in sql.rows(_AGENTS, asked)}
    forming = _forming(projects)
    FormingTurn.objects.bulk_create(
        [
            FormingTurn(
                session_id=one.stream_id,
                turn_id=one.resource_id,
                project_id=one.project_id,
                noted_at=now,
            )
            for one in turns
            if agents.get(one.stream_id) in forming
        ],
        ignore_conflicts=True,
    )


def form_due(*, actor: Actor, now: datetime) -> int:
    """Form proposals of the turns that were noted; say how many there are.

    A turn that fails holds up no other; it is not tried again.
    """
    formed = 0
    for one in FormingTurn.objects.order_by("noted_at", "turn_id")[:MOST]:
        try:
            formed += _formed(one, actor, now)
        except (DomainError, CorruptBody):
            log.exception("a turn formed no memories", turn=one.turn_id)
        FormingTurn.objects.filter(
            session_id=one.session_id, turn_id=one.turn_id
        ).delete()
    return formed


def _forming(project_ids: set[str]) -> set[str]:
    """Return the agents whose turns form memories."""
    found = Formation.objects.filter(project_id__in=project_ids, mode=Mode.TAGS)
    return set(found.values_list("agent_id", flat=True))


def _formed(one: FormingTurn, actor: Actor, now: datetime) -> int:
    project = Project.objects.get(id=one.project_id)
    scope = Scope(project)
    turn = Turn.objects.of_session(one.session_id).filter(id=one.turn_id).first()
    session = visible_session(scope, one.session_id, now=now)
    if turn is None or session is None:
        return 0
    request = Request(id=new_id("req", now=now))
    act = Act(scope=scope, actor=actor, now=now, request=request)
    marks = [one for one in marked(_said(turn)) if not _is_dropped(act, session, one)]
    return sum(_proposed(act, session, turn, mark) for mark in marks)


def _proposed(act: Act, session: Session, turn: Turn, mark: Marked) -> bool:
    """Propose what is marked; say whether nothing said it before."""
    said = f"{turn.id} {mark.type} {mark.content}".encode()
    # Each is an act of its own, the same however often it is tried.
    act = replace(act, request=replace(act.request, digest=sha256(said).digest()))
    new = NewMemory(
        content=mark.content,
        place=Place(session_id=session.id),
        type=mark.type,
        metadata=mark.metadata,
        confidence=CONFIDENCE,
        turn_id=turn.id,
        by="tags",
    )
    return add(act=act, new=new).is_new


def _is_dropped(act: Act, session: Session, mark: Marked) -> bool:
    owner = owner_of(act.scope, MemoryScope.SESSION, session.id)
    digest = digest_of(act.project, mark.content)
    said = Memory.objects.of([owner.document.id]).filter(digest=digest)
    return said.filter(status="dropped").exists()


def _said(turn: Turn) -> str:
    """Return the text that the agent said in a turn."""
    output: Any = json.parse_written(turn.parts()["output"])
    content = output.get("content") if isinstance(output, dict) else None
    return content if isinstance(content, str) else ""
