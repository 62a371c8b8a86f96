"""Form proposals of turns: noted when the turn is fed, made by the worker.

Idempotent per turn: what a turn said is a proposal once, however often it is formed,
and what somebody has decided about is not proposed again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

import structlog

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core.actors import Actor
from apps.core.errors import Busy, DomainError
from apps.core.ids import new_id
from apps.core.provenance import Request
from apps.memory.documents.contents import LLM, digest_of
from apps.memory.documents.finding import read_entries
from apps.memory.documents.owners import Place, owner_of, visible_session
from apps.memory.formation import endpoint, proposals, waiting
from apps.memory.formation.endpoint import AnswerUnusable, CallFailed
from apps.memory.formation.proposals import Proposal
from apps.memory.formation.tags import marked
from apps.memory.models import FormingTurn, Memory, MemoryScope, Mode
from apps.memory.operations.adding import NewMemory, add
from apps.timeline.models import Session, Turn
from apps.timeline.queries import CorruptBody

# A sweep begins no call after that, nor after so many failed ones.
SWEEP_SECONDS = 20.0
MOST_FAILURES = 3
NOT_STORED = "What was proposed could not be stored."
INTERRUPTED = "The worker ended in each attempt."

log = structlog.get_logger("stepback.memory")


@dataclass(frozen=True, kw_only=True, slots=True)
class Forming:
    """A turn that is to form memories, in its session, and by which act."""

    noted: FormingTurn
    act: Act
    session: Session
    turn: Turn

    @property
    def agent_id(self) -> str:
        return str(self.session.agent_id)


def form_due(*, actor: Actor, now: datetime) -> int:
    """Form proposals of what agents have marked; say how many there are.

    A turn that fails holds up no other; it is not tried again.
    """
    formed = 0
    for noted in waiting.due(Mode.TAGS, now):
        forming = _begun(noted, actor, now)
        if forming is None:
            continue
        try:
            formed += _marked(forming)
        except Busy as away:
            # Its keys, most likely: it waits for the next sweep.
            log.warning("a turn forms no memories yet", reason=str(away))
    return formed


def ask_due(*, actor: Actor, now: datetime) -> int:
    """Form proposals of what the endpoint answers, for some seconds; say how many.

    After a few failed calls it is left alone until the next sweep.
    """
    began = time.monotonic()
    formed = failures = 0
    for noted in waiting.due(Mode.LLM, now):
        if failures >= MOST_FAILURES or time.monotonic() - began > SWEEP_SECONDS:
            break
        forming = _begun(noted, actor, now)
        if forming is None:
            continue
        try:
            formed += _answered(forming)
        except Busy as away:
            log.warning("a turn forms no memories yet", reason=str(away))
        except CallFailed as error:
            log.warning("the endpoint proposed no memories", reason=str(error))
            waiting.note_failure(noted, forming.agent_id, str(error), now=now)
            failures += 1
    return formed


def _begun(noted: FormingTurn, actor: Actor, now: datetime) -> Forming | None:
    """Return what is to be formed; nothing is where the agent's setting is another.

    Switched off, no text of it is sent anywhere, and nothing more is proposed.
    """
    scope = Scope(Project.objects.get(id=noted.project_id))
    turn = Turn.objects.of_session(noted.session_id).filter(id=noted.turn_id).first()
    session = visible_session(scope, noted.session_id, now=now)
    if turn is None or session is None:
        waiting.end(noted)
        return None
    if waiting.mode_of(session.agent_id) != noted.mode:
        waiting.end(noted)
        return None
    request = Request(id=new_id("req", now=now))
    act = Act(scope=scope, actor=actor, now=now, request=request)
    return Forming(noted=noted, act=act, session=session, turn=turn)


def _marked(forming: Forming) -> int:
    try:
        found = marked(endpoint.text_of(forming.turn, "output"))
    except CorruptBody:
        return _given_up(forming, NOT_STORED)
    return _stored(forming, found)


def _answered(forming: Forming) -> int:
    """Propose what the endpoint answers, or has answered before.

    Raises: CallFailed.
    """
    noted, now = forming.noted, forming.act.now
    if noted.answer is not None:
        return _stored(forming, proposals.read(noted.answer))
    if noted.attempts >= waiting.ATTEMPTS:
        return _given_up(forming, INTERRUPTED)
    if not waiting.claim(noted, now=now):
        return 0
    try:
        found = endpoint.ask(forming.turn)
    except AnswerUnusable as error:
        return _given_up(forming, str(error))
    except CorruptBody:
        return _given_up(forming, NOT_STORED)
    waiting.keep_answer(noted, proposals.written(found))
    return _stored(forming, found)


def _stored(forming: Forming, found: Sequence[Proposal]) -> int:
    """Propose what is new, and take the turn away.

    Raises: Busy, where it cannot be stored now.
    """
    try:
        fresh = [one for one in found if not _is_known(forming, one)]
        stored = sum(_proposed(forming, one) for one in fresh)
    except Busy:
        raise
    except (DomainError, CorruptBody):
        return _given_up(forming, NOT_STORED)
    waiting.end(forming.noted)
    return stored


def _given_up(forming: Forming, reason: str) -> int:
    log.warning("a turn formed no memories", turn=forming.turn.id, reason=reason)
    waiting.give_up(forming.noted, forming.agent_id, reason, now=forming.act.now)
    return 0


def _proposed(forming: Forming, one: Proposal) -> bool:
    """Propose a text; say whether nothing said it before."""
    act, turn = forming.act, forming.turn
    said = f"{turn.id} {one.type} {one.content}".encode()
    # Each is an act of its own, the same however often it is tried.
    act = replace(act, request=replace(act.request, digest=sha256(said).digest()))
    new = NewMemory(
        content=one.content,
        place=Place(session_id=forming.session.id),
        type=one.type,
        metadata=one.metadata,
        confidence=one.confidence,
        turn_id=turn.id,
        by=one.by,
        # What is carried out if it is accepted is not looked for by its meaning.
        embeds=not one.is_patch,
    )
    return add(act=act, new=new).is_new


def _is_known(forming: Forming, one: Proposal) -> bool:
    """Say whether somebody has dropped this text, or decided about it of this turn.

    A model's text changes nothing about what is believed, not even how surely.
    """
    act, turn_id = forming.act, forming.turn.id
    owner = owner_of(act.scope, MemoryScope.SESSION, forming.session.id)
    document = owner.document
    same = Memory.objects.of([document.id]).filter(
        digest=digest_of(act.project, one.content, is_patch=one.is_patch)
    )
    rows = list(same.exclude(status="proposed").order_by("id"))
    sure = {"dropped", "believed"} if one.by == LLM else {"dropped"}
    if any(row.status in sure for row in rows):
        return True
    ids = [row.id for row in rows if row.status != "believed"]
    decided = read_entries(document, ids, now=act.now) if ids else []
    return any(turn_id in kept.content.turn_ids for kept in decided)
