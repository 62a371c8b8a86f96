"""Checkpoints of an agent's config and data: make one, find them, hide one.

Config and data have one line of versions, so a checkpoint is one number: making it
takes the document's lock for a moment, and copies nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.audit.streams import Operation
from apps.core import json
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.core.json import cleaned
from apps.data.checkpoints import recorded
from apps.data.checkpoints.kept import checkpoint_of, details_of, keep_of, kept_of
from apps.data.documents.values import MAX_METADATA_BYTES, require_size
from apps.data.errors import CheckpointNotFound
from apps.data.models import Checkpoint
from apps.data.operations.recording import (
    found,
    found_to_write,
    record_unless_off,
    told,
)
from apps.timeline.operations import (
    Document,
    lock_document,
)
from apps.timeline.queries import Standing

CHECKPOINT = "checkpoint"
# As the ledger takes an act without a key, sent once more, for the same act.
REPEATED_WITHIN = timedelta(minutes=5)
MAX_LABEL = 255
MAX_DESCRIPTION = 4_096


@dataclass(frozen=True, kw_only=True, slots=True)
class NewCheckpoint:
    """What is said of a checkpoint when it is made."""

    label: str | None = None
    description: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def require(self) -> None:
        """Raises: InvalidRequest, ContentTooLarge."""
        for name, most in (("label", MAX_LABEL), ("description", MAX_DESCRIPTION)):
            if len(getattr(self, name) or "") > most:
                raise InvalidRequest(
                    f"The {name} has at most {most:,} characters.", param=name
                )
        size = len(json.dumps(dict(self.metadata)))
        require_size(size, MAX_METADATA_BYTES, "metadata", param="metadata")


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentCheckpoint:
    """A checkpoint, and whose it is."""

    agent: Agent
    checkpoint: Checkpoint


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckpointPage:
    """An agent's checkpoints, the newest first; `total` is that of all pages."""

    agent: Agent
    checkpoints: list[Checkpoint]
    total: int


def create_checkpoint(
    *, act: Act, reference: str, said: NewCheckpoint
) -> AgentCheckpoint:
    """Keep the version that stands, to go back to it.

    What policies keep no more is hidden from now on.

    One of the same version that says the same, by the same actor, is answered again:
    whoever has lost the answer asks so.

    Raises: AgentNotFound, AgentSuspended, AgentDeleted, InvalidRequest,
    ContentTooLarge.
    """
    said.require()
    agent, document = found_to_write(act, reference)
    with transaction.atomic():
        about = told(Operation.CHECKPOINT_CREATE, "", resource_type=CHECKPOINT)
        standing = lock_document(act=act, document=document, told=about)
        if act.actor.is_agent:
            # Whoever waited for the lock must see what was decided meanwhile.
            Agent.objects.get(id=agent.id).require_writing()
        made = _made_before(act, document, standing, said)
        if made is None:
            made = _made(act, agent, document, standing, said)
    return AgentCheckpoint(agent=agent, checkpoint=made)


def list_checkpoints(
    *, act: Act, reference: str, before: str | None = None, limit: int
) -> CheckpointPage:
    """Return an agent's checkpoints, those made before the one of that id.

    Raises: AgentNotFound; InvalidRequest where there is no such one.
    """
    agent, document = found(act, reference)
    kept = kept_of(act, document)
    page = kept.newest_first()
    if before is not None:
        last = kept.filter(id=before).first()
        if last is None:
            raise InvalidRequest(
                "starting_after takes the last_id of a page.", param="starting_after"
            )
        page = page.filter(ordinal__lt=last.ordinal)
    checkpoints, total = list(page[:limit]), kept.count()
    record_unless_off(
        act, document, told(Operation.DATA_LIST, "", resource_type=CHECKPOINT)
    )
    return CheckpointPage(agent=agent, checkpoints=checkpoints, total=total)


def read_checkpoint(*, act: Act, reference: str, checkpoint_id: str) -> AgentCheckpoint:
    """Return a checkpoint of an agent.

    Raises: AgentNotFound, CheckpointNotFound.
    """
    agent, document = found(act, reference)
    return AgentCheckpoint(
        agent=agent, checkpoint=checkpoint_of(act, document, checkpoint_id)
    )


def delete_checkpoint(*, act: Act, reference: str, checkpoint_id: str) -> str:
    """Hide a checkpoint for good, and return the event of that; history stays.

    Asked again as the very last act, it is that act: whoever lost the answer asks so.

    Raises: AgentNotFound, CheckpointNotFound, AgentSuspended, AgentDeleted.
    """
    agent, document = found_to_write(act, reference)
    done = _deletion_before(act, document, checkpoint_id)
    if done is not None:
        return done
    gone = checkpoint_of(act, document, checkpoint_id)
    with transaction.atomic():
        hidden = Checkpoint.objects.of(document.id).filter(id=gone.id)
        if not hidden.update(hidden_at=act.now):
            raise CheckpointNotFound(param="checkpoint_id")
        event_id = _event(act, agent, document, Action.CHECKPOINT_DELETED, gone)
        _record(act, document, Operation.CHECKPOINT_DELETE, gone, event_id)
    return event_id


def _made_before(
    act: Act, document: Document, standing: Standing, said: NewCheckpoint
) -> Checkpoint | None:
    """Return what this very act has made, if it was sent before and is kept yet."""
    alike = kept_of(act, document).filter(
        number=standing.number,
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        label=said.label,
        description=said.description,
    )
    metadata = cleaned(dict(said.metadata))
    return next((one for one in alike if one.metadata == metadata), None)


def _deletion_before(act: Act, document: Document, checkpoint_id: str) -> str | None:
    """Return the newest event, if it is this very act a moment ago."""
    newest = Event.objects.filter(stream_id=document.id).order_by("-id").first()
    if newest is None or act.request.key is not None:
        return None
    is_same = (
        newest.action == Action.CHECKPOINT_DELETED
        and newest.details["checkpoint_id"] == checkpoint_id
        and (newest.actor_kind, newest.actor_id) == (act.actor.kind, act.actor.id)
        and newest.created_at > act.now - REPEATED_WITHIN
    )
    return newest.id if is_same else None


def _made(
    act: Act,
    agent: Agent,
    document: Document,
    standing: Standing,
    said: NewCheckpoint,
) -> Checkpoint:
    every = Checkpoint.objects.filter(session_id=document.id).newest_first()
    last = every.values_list("ordinal", flat=True).first() or 0
    made = Checkpoint(
        session_id=document.id,
        id=new_id("cp", now=act.now),
        ordinal=last + 1,
        number=standing.number,
        config_ordinal=standing.config_ordinal,
        keys=standing.keys,
        bytes=standing.bytes,
        label=said.label,
        description=said.description,
        metadata=cleaned(dict(said.metadata)),
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )
    made.event_id = _event(act, agent, document, Action.CHECKPOINT_CREATED, made)
    made.save(force_insert=True)
    _hide_others(act, document)
    # As it is stored: that is what it will be held against.
    stored = recorded.with_words(Checkpoint.objects.of(document.id)).get(id=made.id)
    words = recorded.words(document, stored)
    event_id = made.event_id
    _record(act, document, Operation.CHECKPOINT_CREATE, made, event_id, words)
    return made


def _hide_others(act: Act, document: Document) -> None:
    """Hide what policies keep no more; their rule is not asked again about them."""
    pointed = Checkpoint.objects.of(document.id)
    over = pointed.not_kept(keep_of(act, document), act.now)
    ids = list(over.values_list("id", flat=True))
    if ids:
        pointed.filter(id__in=ids).update(hidden_at=act.now)


def _event(
    act: Act, agent: Agent, document: Document, action: Action, about: Checkpoint
) -> str:
    event = audit.record(
        stream_id=document.id,
        project_id=act.project_id,
        action=action,
        resource_type=CHECKPOINT,
        resource_id=agent.id,
        act=act,
        details=details_of(agent, about),
    )
    return event.id


def _record(
    act: Act,
    document: Document,
    operation: Operation,
    about: Checkpoint,
    event: str,
    words: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Append the record, which comes last: whoever waits for it holds nothing else."""
    said = told(
        operation,
        about.id,
        resource_type=CHECKPOINT,
        details={**recorded.counts(about), **words},
    )
    audit.record_in_stream(record=document.record(act, said, event))
