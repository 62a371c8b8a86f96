"""One step of a restore that goes by steps: a version, and how far that has come.

Each step is one version, and one transaction with the row that says how far the restore
has come: a process that is killed has done a step or has not. Readers never wait, and
writers for one step at most. What they write meanwhile stays: a step leaves alone what
was touched after the head that was confirmed, as if all had been restored at once then.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

import structlog
from django.db import transaction

from apps.accounts.access import Permission, require_still
from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.audit.actions import Action
from apps.audit.streams import Operation
from apps.core.actors import Actor
from apps.core.errors import DomainError
from apps.core.provenance import Request
from apps.data.checkpoints.kept import details_of
from apps.data.models import Checkpoint, LongRestore, RestoreState
from apps.data.operations.checkpoints import CHECKPOINT
from apps.data.operations.recording import told
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

log = structlog.get_logger("stepback.data")


def step_if_free(document_id: str, restore_id: str, *, now: datetime) -> bool:
    """Make one step, unless another process has it in hand; say whether it was made.

    For the worker: one that fails is over, and holds up no other.
    """
    try:
        return _step(document_id, restore_id, now, skip_locked=True)
    except Exception:
        log.exception("a step of a restore failed", document=document_id)
        words = "Something went wrong on our side; restore it again to go on."
        _fail(document_id, restore_id, "internal_error", words, now)
        return False


def step_in_turn(document_id: str, restore_id: str, *, now: datetime) -> bool:
    """Make one step once nobody else makes one; say whether there was one to make.

    For the request that waits for its end: what fails on our side is not the end of
    the restore, with which the worker goes on.
    """
    return _step(document_id, restore_id, now, skip_locked=False)


def _step(
    document_id: str, restore_id: str, now: datetime, *, skip_locked: bool
) -> bool:
    rows = LongRestore.objects.of(document_id).filter(id=restore_id)
    try:
        with transaction.atomic():
            one = rows.running().select_for_update(skip_locked=skip_locked).first()
            if one is None:
                return False
            _make(one, now)
    except DomainError as refused:
        _fail(document_id, restore_id, refused.code, refused.message, now)
        return False
    return True


def _make(one: LongRestore, now: datetime) -> None:
    project = Project.objects.get(id=one.project_id)
    # Of keys the function that stores looks again.
    if not one.actor.is_agent:
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
        act=_act(one, project, step, now),
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
    if one.of_data:
        one.skipped += queries.count_skipped(
            touched,
            step,
            since=one.seen if one.number is None else one.number,
            number=restored.number,
            at=restored.created_at,
        )
    _note(one, step, restored, now)


def _note(
    one: LongRestore, step: queries.RestoreStep, restored: Restored, now: datetime
) -> None:
    one.passed += step.keys
    one.next_key = step.before
    one.steps += 1
    one.number = restored.number
    one.changed += restored.changed
    one.removed += restored.removed
    one.lapsed += restored.lapsed
    one.config_changed |= restored.is_config_changed
    if step.is_last:
        one.next_key, one.state, one.ended_at = "", RestoreState.DONE, now
    one.save(
        update_fields=[
            *("total", "passed", "next_key", "steps", "changed", "removed", "lapsed"),
            *("skipped", "config_changed", "number", "state", "ended_at"),
        ]
    )


def _fail(
    document_id: str, restore_id: str, code: str, words: str, now: datetime
) -> None:
    rows = LongRestore.objects.of(document_id).filter(id=restore_id, state="running")
    rows.update(state=RestoreState.FAILED, code=code, words=words, ended_at=now)


def _act(
    one: LongRestore, project: Project, step: queries.RestoreStep, now: datetime
) -> Act:
    return Act(
        scope=Scope(project),
        actor=one.actor,
        now=now,
        request=_request(one, step),
        api_key_id=_key_of(one.actor),
    )


def _request(one: LongRestore, step: queries.RestoreStep) -> Request:
    """Return the request behind a step; the key of the whole is that of the last."""
    if step.is_last and one.request_key is not None:
        digest = bytes(one.request_digest or b"")
        return Request(id=one.request_id, key=one.request_key, digest=digest)
    # Its own digest for each step: the ledger would take the second for the first.
    said = f"{one.id}:{one.steps}"
    return Request(id=one.request_id, digest=sha256(said.encode()).digest())


def _key_of(actor: Actor) -> str | None:
    return actor.id if actor.is_agent else None


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
