"""Which checkpoints of an agent there are: those that its policies keep."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.core.json import cleaned
from apps.data.documents.enforcing import standing_config
from apps.data.errors import CheckpointNotFound
from apps.data.models import Checkpoint, LongRestore
from apps.data.querysets import MOST_KEPT, CheckpointQuerySet, Keep
from apps.timeline.operations import Document


def checkpoint_of(
    act: Act, document: Document, checkpoint_id: str, *, param: str = "checkpoint_id"
) -> Checkpoint:
    """Return the checkpoint of a document that has this id.

    Raises: CheckpointNotFound.
    """
    one = kept_of(act, document).filter(id=checkpoint_id).first()
    if one is None:
        raise CheckpointNotFound(param=param)
    return one


def kept_of(act: Act, document: Document) -> CheckpointQuerySet:
    """Return the checkpoints of a document that its policies keep."""
    keep = keep_of(act, document)
    return Checkpoint.objects.of(document.id).kept(keep, act.now)


def numbers_needed(document_id: str) -> list[int]:
    """Return the versions at which all of a document's data is to be read.

    Those of checkpoints that nobody has hidden, and of one that is being restored, with
    the version that stood when it was confirmed: what was written after it stays.
    """
    running = LongRestore.objects.of(document_id).running()
    restored = dict(running.values_list("checkpoint_id", "seen"))
    needed = Q(hidden_at__isnull=True) | Q(id__in=list(restored))
    mine = Checkpoint.objects.filter(needed, session_id=document_id)
    return [*mine.values_list("number", flat=True).distinct(), *restored.values()]


def details_of(agent: Agent, checkpoint: Checkpoint) -> dict[str, Any]:
    """Return what events and records say of a checkpoint: nothing of its words."""
    return {
        "agent_id": cleaned(agent.external_id),
        "checkpoint_id": checkpoint.id,
        "at": checkpoint.number,
        "config_version": f"v{checkpoint.config_ordinal}",
    }


def keep_of(act: Act, document: Document) -> Keep:
    policies = standing_config(document, now=act.now).rules.policies
    last = policies.checkpoint_keep_last
    return Keep(
        last=MOST_KEPT if last is None else min(last, MOST_KEPT),
        days=policies.checkpoint_keep_days,
    )
