"""Restores of more keys than one version sets: begun by a request, made by steps.

Who asked over the API waits for the end and makes the steps; the worker goes on with
what nobody waits for any more, and makes those that a person has confirmed on a page.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from apps.agents.acts import Act
from apps.audit.streams import Operation
from apps.core.errors import IdempotencyKeyReused
from apps.core.ids import new_id
from apps.data.checkpoints.kept import checkpoint_of
from apps.data.errors import RestoreRunning
from apps.data.models import Checkpoint, LongRestore, RestoreState
from apps.data.operations.keeping.stepping import step_if_free
from apps.data.operations.recording import found, found_to_write, told
from apps.data.operations.restoring import RestoreWanted, head_of
from apps.timeline import queries
from apps.timeline.operations import Document, lock_document

# How long one sweep goes on; the next takes up what is left.
SWEEP_SECONDS = 20.0
# How long one that is over is listed.
LISTED_FOR = timedelta(days=1)
MOST_LISTED = 3
# As long as the ledger takes a request without a key for a repetition.
REPEATED_WITHIN = timedelta(minutes=5)


@dataclass(frozen=True, kw_only=True, slots=True)
class LongRestores:
    """The newest restores by steps of an agent, and the checkpoints they bring back."""

    restores: list[LongRestore]
    checkpoints: dict[str, Checkpoint]


def start_restore(
    *, act: Act, reference: str, checkpoint_id: str, wanted: RestoreWanted
) -> LongRestore:
    """Begin to bring a checkpoint back by steps, from the head that stands.

    Whoever waits for the end makes the steps, else the worker. Begun again by the same
    request it is the same one; one that had stopped goes on. Begun on the same head by
    the same person it is the one that is running.

    Raises: what `restore_checkpoint` raises but RestoreTooLarge, RestoreRunning;
    VersionPruned.
    """
    wanted.require()
    agent, document = found_to_write(act, reference)
    checkpoint = checkpoint_of(act, document, checkpoint_id)
    before = begun_by(act, document)
    if before is not None:
        return _taken_up(before)
    one = LongRestore(
        session_id=document.id,
        id=new_id("rst", now=act.now),
        project_id=act.project_id,
        agent_id=agent.id,
        checkpoint_id=checkpoint.id,
        of_config=wanted.config,
        of_data=wanted.data,
        reasoning=wanted.reasoning,
        seen=head_of(act, document, wanted),
        state=RestoreState.RUNNING,
        actor_kind=act.actor.kind,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        request_id=act.request.id,
        request_key=act.request.key,
        request_digest=act.request.digest,
        created_at=act.now,
    )
    about = told(
        Operation.CHECKPOINT_RESTORE, checkpoint.id, resource_type="checkpoint"
    )
    try:
        with transaction.atomic():
            # A removal takes the lock as well, and keeps what is being restored.
            lock_document(act=act, document=document, told=about)
            with queries.refused_as_conflict():
                queries.require_whole(document.id, checkpoint.number)
            one.save(force_insert=True)
    except IntegrityError:
        return begun_by(act, document) or _running_already(one)
    return one


def begun_by(act: Act, document: Document) -> LongRestore | None:
    """Return the restore by steps that this very request began when it came before.

    Without a key that is one which runs, or which the agent's last write has ended.

    Raises: IdempotencyKeyReused.
    """
    rows = LongRestore.objects.of(document.id).of_request(act)
    one = rows.newest_first().first()
    if one is None:
        return None
    if act.request.key is not None:
        if bytes(one.request_digest or b"") != act.request.digest:
            raise IdempotencyKeyReused(param="Idempotency-Key")
        return one
    return one if one.is_running or _is_last_act(one, act) else None


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
        while step_if_free(one.session_id, one.id, now=now):
            made += 1
            if time.monotonic() - began > SWEEP_SECONDS:
                return made
    return made


def _is_last_act(one: LongRestore, act: Act) -> bool:
    is_fresh = one.ended_at is not None and one.ended_at > act.now - REPEATED_WITHIN
    if one.state != RestoreState.DONE or not is_fresh:
        return False
    standing = queries.standing(one.session_id, now=act.now)
    return standing is not None and standing.number == one.number


def _taken_up(one: LongRestore) -> LongRestore:
    """Let one that was stopped go on where it was: its request was repeated."""
    if one.state != RestoreState.FAILED:
        return one
    stopped = LongRestore.objects.of(one.session_id).filter(id=one.id, state=one.state)
    try:
        with transaction.atomic():
            stopped.update(state=RestoreState.RUNNING, code="", words="", ended_at=None)
    except IntegrityError:
        raise RestoreRunning from None
    one.refresh_from_db()
    return one


def _running_already(new: LongRestore) -> LongRestore:
    one = LongRestore.objects.of(new.session_id).running().first()
    same = ("checkpoint_id", "of_config", "of_data", "seen", "actor_kind", "actor_id")
    if one is None or any(getattr(one, it) != getattr(new, it) for it in same):
        raise RestoreRunning
    return one
