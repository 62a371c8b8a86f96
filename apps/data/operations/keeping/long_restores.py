"""Restores of more keys than one version sets: confirmed by a person, made by steps.

Each step is one version, and one transaction with the row that says how far the restore
has come: a worker that is killed has done a step or has not. Readers never wait, and
writers for one step at most. What they write meanwhile stays: a step leaves alone what
was touched after the head that was confirmed, as if all had been restored at once then.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

import structlog
from django.db import IntegrityError, transaction

from apps.accounts.access import Permission, require_still
from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.audit.actions import Action
from apps.audit.streams import Operation
from apps.core.errors import DomainError
from apps.core.ids import new_id
from apps.core.provenance import Request
from apps.data.checkpoints.kept import checkpoint_of, details_of
from apps.data.errors import RestoreRunning
from apps.data.models import Checkpoint, LongRestore, RestoreState
from apps.data.operations.checkpoints import CHECKPOINT
from apps.data.operations.recording import found, found_to_write, told
from apps.data.operations.restoring import RestoreWanted, head_of
from apps.timeline import queries
from apps.timeline.operations import (
    Document,
    Restoration,
    Restored,
    Told,
    restore_document,
)

# What one step takes: with 10^6 keys under a second, for which writers wait.
STEP_KEYS = 5_000
# How long one sweep goes on; the next takes up what is left.
SWEEP_SECONDS = 20.0
# How long one that is over is listed.
LISTED_FOR = timedelta(days=1)
MOST_LISTED = 3

log = structlog.get_logger("stepback.data")


@dataclass(frozen=True, kw_only=True, slots=True)
class LongRestores:
    """The newest restores by steps of an agent, and the checkpoints they bring back."""

    restores: list[LongRestore]
    checkpoints: dict[str, Checkpoint]


def start_restore(
    *, act: Act, reference: str, checkpoint_id: str, wanted: RestoreWanted
) -> LongRestore:
    """Have the worker bring a checkpoint back by steps, from the head that was shown.

    Started again on the same head by the same person it is the one that is running.

    Raises: what `restore_checkpoint` raises but RestoreTooLarge, RestoreRunning.
    """
    wanted.require()
    agent, document = found_to_write(act, reference)
    checkpoint = checkpoint_of(act, document, checkpoint_id)
    seen = head_of(act, document, wanted)
    one = LongRestore(
        session_id=document.id,
        id=new_id("rst", now=act.now),
        project_id=act.project_id,
        agent_id=agent.id,
        checkpoint_id=checkpoint.id,
        of_config=wanted.config,
        of_data=wanted.data,
        reasoning=wanted.reasoning,
        seen=seen,
        state=RestoreState.RUNNING,
        actor_kind=act.actor.kind,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        request_id=act.request.id,
        created_at=act.now,
    )
    try:
        with transaction.atomic():
            one.save(force_insert=True)
    except IntegrityError:
        return _running_already(one)
    return one


def list_restores(*, act: Act, reference: str) -> LongRestores:
    """Return the restores by steps that run or ended lately, the newest first.

    Raises: AgentNotFound.
    """
    _, document = found(act, reference)
    lately = LongRestore.objects.of(document.id).since(act.now - LISTED_FOR)
    restores = list(lately.newest_first()[:MOST_LISTED])
    # Hidden ones too: what was restored keeps its name.
    named = Checkpoint.objects.filter(
        session_id=document.id, id__in=[one.checkpoint_id for one in restores]
    )
    return LongRestores(
        restores=restores, checkpoints={str(one.id): one for one in named}
    )


def restore_running(*, now: datetime) -> int:
    """Make the steps of restores that run; return how many were made.

    One that fails holds up no other.
    """
    began, made = time.monotonic(), 0
    for one in list(LongRestore.objects.running()):
        while _step(one.session_id, one.id, now):
            made += 1
            if time.monotonic() - began > SWEEP_SECONDS:
                return made
    return made


def _running_already(new: LongRestore) -> LongRestore:
    one = LongRestore.objects.of(new.session_id).running().first()
    same = ("checkpoint_id", "of_config", "of_data", "seen", "actor_kind", "actor_id")
    if one is None or any(getattr(one, it) != getattr(new, it) for it in same):
        raise RestoreRunning
    return one


def _step(document_id: str, restore_id: str, now: datetime) -> bool:
    """Make one step, unless another worker has it in hand; say whether it was made."""
    rows = LongRestore.objects.of(document_id).filter(id=restore_id)
    try:
        with transaction.atomic():
            one = rows.running().select_for_update(skip_locked=True).first()
            if one is None:
                return False
            _make(one, now)
    except DomainError as refused:
        _fail(document_id, restore_id, refused.code, refused.message, now)
        return False
    except Exception:
        log.exception("a step of a restore failed", document=document_id)
        words = "Something went wrong on our side; restore it again to go on."
        _fail(document_id, restore_id, "internal_error", words, now)
        return False
    return True


def _make(one: LongRestore, now: datetime) -> None:
    project = Project.objects.get(id=one.project_id)
    require_still(one.actor, Permission.WRITE, project)
    # Locked, so that no step comes after a deletion that was answered.
    agent = Agent.objects.select_for_update(no_key=True).get(id=one.agent_id)
    agent.require_kept()
    document = Document.of_agent(project, one.agent_id)
    checkpoint = Checkpoint.objects.get(session_id=document.id, id=one.checkpoint_id)
    touched = queries.Touched(
        session=document.id,
        target=checkpoint.number,
        seen=one.seen,
        config=one.of_config,
        data=one.of_data,
    )
    if one.total is None:
        one.total = queries.count_to_restore(touched)
    step = queries.next_step(touched, first=one.next_key, keys=STEP_KEYS)
    restored = restore_document(
        act=_act(one, project, now),
        document=document,
        wanted=Restoration(
            target=checkpoint.number,
            config=one.of_config,
            data=one.of_data,
            step=step,
        ),
        told=_told(one, agent, checkpoint, step),
        reasoning=one.reasoning,
    )
    _note(one, step, restored, now)


def _note(
    one: LongRestore, step: queries.RestoreStep, restored: Restored, now: datetime
) -> None:
    one.passed += step.keys
    one.next_key = step.before
    one.steps += 1
    one.changed += restored.changed
    one.removed += restored.removed
    one.lapsed += restored.lapsed
    if step.is_last:
        one.next_key, one.state, one.ended_at = "", RestoreState.DONE, now
    one.save(
        update_fields=[
            *("total", "passed", "next_key", "steps", "changed", "removed", "lapsed"),
            *("state", "ended_at"),
        ]
    )


def _fail(
    document_id: str, restore_id: str, code: str, words: str, now: datetime
) -> None:
    rows = LongRestore.objects.of(document_id).filter(id=restore_id, state="running")
    rows.update(state=RestoreState.FAILED, code=code, words=words, ended_at=now)


def _act(one: LongRestore, project: Project, now: datetime) -> Act:
    # Its own digest for each step: the ledger would take the second for the first.
    said = f"{one.id}:{one.steps}"
    request = Request(id=one.request_id, digest=sha256(said.encode()).digest())
    return Act(scope=Scope(project), actor=one.actor, now=now, request=request)


def _told(
    one: LongRestore, agent: Agent, checkpoint: Checkpoint, step: queries.RestoreStep
) -> Told:
    parts = {"config": one.of_config, "data": one.of_data}
    return told(
        Operation.CHECKPOINT_RESTORE,
        checkpoint.id,
        # It is restored with the last.
        event=Action.CHECKPOINT_RESTORED if step.is_last else None,
        resource_type=CHECKPOINT,
        details=details_of(agent, checkpoint) | parts | {"step": one.steps + 1},
    )
