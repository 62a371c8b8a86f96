"""Restore an agent's config and data to a checkpoint, or say what that would do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit.actions import Action
from apps.audit.streams import Operation
from apps.core.errors import InvalidRequest
from apps.data.checkpoints import proof, restores
from apps.data.checkpoints.kept import checkpoint_of, details_of
from apps.data.checkpoints.proof import Verification
from apps.data.checkpoints.restores import Keys, Writer
from apps.data.documents import configs
from apps.data.documents.configs import ConfigVersion
from apps.data.models import Checkpoint
from apps.data.operations.checkpoints import CHECKPOINT
from apps.data.operations.recording import (
    found_to_write,
    record_unless_off,
    told,
)
from apps.timeline import queries
from apps.timeline.errors import DocumentMoved, DocumentNotFound, RestoreTooLarge
from apps.timeline.operations import (
    MOST_RESTORED,
    Document,
    Restoration,
    Restored,
    restore_document,
)

# Keys touched since that are restored within a request.
MOST = MOST_RESTORED
# Of these so many in one version, for which writers wait: measured, 0.9 s. More go by
# steps.
AT_ONCE = 10_000
# Some more of them may be touched before the lock is had.
_SLACK = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class RestoreWanted:
    """Which parts are to be restored; `expected` is the head that the caller saw."""

    config: bool = True
    data: bool = True
    expected: int | None = None
    reasoning: str | None = None

    def require(self) -> None:
        """Raises: InvalidRequest."""
        if not (self.config or self.data):
            raise InvalidRequest(
                "With neither restore_config nor restore_data nothing is restored.",
                param="restore_data",
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class RestoredCheckpoint:
    """What a restore did."""

    agent: Agent
    checkpoint: Checkpoint
    wanted: RestoreWanted
    restored: Restored
    event_id: str
    # Of the config that stands since.
    config_ordinal: int
    # Keys of the checkpoint whose time was over meanwhile.
    expired: int
    verification: Verification
    # Keys of the checkpoint that others wrote while it went by steps.
    skipped: int = 0
    steps: int = 1

    @property
    def in_place(self) -> int:
        """Return how many of the checkpoint's keys are there as they were."""
        if not self.wanted.data:
            return 0
        return self.checkpoint.keys - self.expired - self.skipped


@dataclass(frozen=True, kw_only=True, slots=True)
class RestorePreview:
    """What a restore would do on the head `number`, if nobody wrote before it.

    Where it is left to the worker, `is_long`, its keys are not counted.
    """

    agent: Agent
    checkpoint: Checkpoint
    wanted: RestoreWanted
    number: int
    now: datetime
    config_before: ConfigVersion
    config_after: ConfigVersion
    set: Keys
    removed: Keys
    expired: Keys
    writers: list[Writer]
    is_long: bool = False


def restore_checkpoint(
    *, act: Act, reference: str, checkpoint_id: str, wanted: RestoreWanted
) -> RestoredCheckpoint:
    """Bring config or data or both back to a checkpoint, as one version more.

    Policies are not asked again about what comes back. What touches more keys than
    `AT_ONCE` is for `restore_by_steps`.

    Raises: AgentNotFound, CheckpointNotFound, InvalidRequest, AgentSuspended,
    AgentDeleted, DocumentHeld, IdempotencyKeyReused; DocumentMoved where the head is
    not the expected one, RestoreTooLarge.
    """
    wanted.require()
    agent, document = found_to_write(act, reference)
    checkpoint = checkpoint_of(act, document, checkpoint_id)
    restored = restore_document(
        act=act,
        document=document,
        wanted=Restoration(
            target=checkpoint.number,
            config=wanted.config,
            data=wanted.data,
            expected=wanted.expected,
            most=_SLACK * AT_ONCE,
        ),
        told=told(
            Operation.CHECKPOINT_RESTORE,
            checkpoint.id,
            event=Action.CHECKPOINT_RESTORED,
            resource_type=CHECKPOINT,
            details=details_of(agent, checkpoint)
            | {"config": wanted.config, "data": wanted.data},
        ),
        reasoning=wanted.reasoning,
    )
    return _told(agent, document, checkpoint, wanted, restored)


def preview_restore(
    *,
    act: Act,
    reference: str,
    checkpoint_id: str,
    wanted: RestoreWanted,
    may_be_long: bool = False,
) -> RestorePreview:
    """Say what a restore would do, and write nothing but that somebody has seen it.

    A long one, if it may be that, is shown without its keys.

    `may_be_long`: the worker may make it, if it goes by steps.

    Raises: what `restore_checkpoint` raises but IdempotencyKeyReused; RestoreTooLarge
    only where it may not be long.
    """
    wanted.require()
    agent, document = found_to_write(act, reference)
    checkpoint = checkpoint_of(act, document, checkpoint_id)
    number = head_of(act, document, wanted)
    parts = {"config": wanted.config, "data": wanted.data}
    most = AT_ONCE if may_be_long else MOST
    is_long = restores.touched(document, checkpoint, most=most, **parts) > most
    if is_long and not may_be_long:
        raise RestoreTooLarge(most=most)
    before = configs.newest(document)
    after = configs.numbered(document, checkpoint.config_ordinal)
    to_set, to_remove, over = (
        (Keys(), Keys(), Keys())
        if is_long
        else _keys(act, document, checkpoint, number, wanted)
    )
    writers = restores.recent_writers(document, now=act.now)
    _record_preview(act, document, checkpoint, number)
    return RestorePreview(
        agent=agent,
        checkpoint=checkpoint,
        wanted=wanted,
        number=number,
        now=act.now,
        config_before=before,
        config_after=after if wanted.config else before,
        set=to_set,
        removed=to_remove,
        expired=over,
        writers=writers,
        is_long=is_long,
    )


def head_of(act: Act, document: Document, wanted: RestoreWanted) -> int:
    """Return the head that stands.

    Raises: DocumentNotFound, DocumentMoved where it is not the expected one.
    """
    standing = queries.standing(document.id, now=act.now)
    if standing is None:
        raise DocumentNotFound
    if wanted.expected not in (None, standing.number):
        raise DocumentMoved(head=standing.number, expected=wanted.expected)
    return standing.number


def _record_preview(
    act: Act, document: Document, checkpoint: Checkpoint, head: int
) -> None:
    about = told(
        Operation.DATA_LIST,
        checkpoint.id,
        resource_type=CHECKPOINT,
        details={"against": head},
    )
    record_unless_off(act, document, about)


def _keys(
    act: Act,
    document: Document,
    checkpoint: Checkpoint,
    head: int,
    wanted: RestoreWanted,
) -> tuple[Keys, Keys, Keys]:
    if not wanted.data:
        return Keys(), Keys(), Keys()
    to_set, to_remove = restores.changed(document, checkpoint, head=head, at=act.now)
    return to_set, to_remove, restores.expired(document, checkpoint, at=act.now)


def _told(
    agent: Agent,
    document: Document,
    checkpoint: Checkpoint,
    wanted: RestoreWanted,
    restored: Restored,
) -> RestoredCheckpoint:
    parts = {"config": wanted.config, "data": wanted.data}
    (event_id,) = restored.event_ids
    return RestoredCheckpoint(
        agent=agent,
        checkpoint=checkpoint,
        wanted=wanted,
        restored=restored,
        event_id=event_id,
        config_ordinal=configs.ordinal_at(document, restored.number),
        expired=_expired(document, checkpoint, restored) if wanted.data else 0,
        verification=proof.verify(document, checkpoint, restored, **parts),
    )


def _expired(document: Document, checkpoint: Checkpoint, restored: Restored) -> int:
    at = restored.created_at
    return restores.expired(document, checkpoint, at=at, shown=0).count
