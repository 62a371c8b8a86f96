"""Record the memories whose time is over: reads have passed over them since."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.audit.actions import Action
from apps.audit.streams import MemoryOperation
from apps.core.actors import Actor
from apps.core.ids import new_id
from apps.core.provenance import Request
from apps.memory.documents.owners import Owner, owner_of
from apps.memory.documents.storing import note_removed
from apps.memory.models import Memory
from apps.memory.operations import recording
from apps.timeline import queries
from apps.timeline.operations import expire_keys, lock_document

# What one sweep does: of so many memories that are due first, owner by owner.
MOST = 1_000


def expire_due(*, actor: Actor, now: datetime) -> int:
    """Record, owner by owner, the memories whose time is over; say how many."""
    due = Memory.objects.due(now).values_list("project_id", "scope", "owner")[:MOST]
    expired = 0
    for project_id, scope, name in sorted(set(due)):
        project = Project.objects.get(id=project_id)
        act = Act(
            scope=Scope(project),
            actor=actor,
            now=now,
            request=Request(id=new_id("req", now=now)),
        )
        expired += _expire(act, owner_of(act.scope, scope, name))
    return expired


def _expire(act: Act, owner: Owner) -> int:
    document = owner.document
    about = recording.told_of_owner(
        MemoryOperation.EXPIRE, owner, event=Action.MEMORY_EXPIRED
    )
    with transaction.atomic():
        lock_document(act=act, document=document, told=about)
        moment = queries.moment_to_expire(document.id, now=act.now, most=MOST)
        if moment is None:
            return 0
        expired = expire_keys(act=act, document=document, moment=moment, told=about)
        standing = queries.standing(document.id, now=act.now)
        over = Memory.objects.of([document.id]).due(moment)
        ids = list(over.values_list("id", flat=True))
        number = 0 if standing is None else standing.number
        note_removed(document, ids, number=number, now=act.now)
    return expired
