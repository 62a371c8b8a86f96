"""Keyed documents as rows: what no door that was made for sessions may show."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.db import models

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.core.ids import new_id
from apps.core.roles.names import Role
from apps.timeline.bodies import Part
from apps.timeline.ledger.drafts import Draft
from apps.timeline.ledger.encoding.rows import new_version
from apps.timeline.ledger.encoding.values import EncodedWrite, Shown, Stamp
from apps.timeline.ledger.encoding.writes import encode_body
from apps.timeline.models import Body, Session, Version
from apps.timeline.versions import proof
from apps.timeline.versions.reading import Step
from apps.timeline.words import Hold, Kind, Op, Status
from tests.acting import acting_as
from tests.acts import act_in


def make_document(project: Project, agent: Agent) -> str:
    """Return the id of a document of the agent's: version 0 with a body, no more."""
    act = act_in(project)
    document_id = new_id("doc", now=act.now)
    part = Part("state", "application/json", b'{"colour":"vermilion"}')
    draft = Draft(op=Op.CREATE, hold=Hold.OPEN, step=Step())
    stamp = Stamp(act=act, session_id=document_id, number=0)
    body = encode_body(EncodedWrite(), (part,), number=0, base=None)
    shown = Shown(body.commitment, len(part.data), None, [])
    changes = {"changes": [], "change_count": 0, "changes_truncated": False}
    version = new_version(draft, stamp, shown, changes)
    with acting_as(Role.OWNER):
        Session.with_documents.create(
            id=document_id,
            project_id=project.id,
            agent=agent,
            kind=Kind.KEYED,
            metadata=b"{}",
            metadata_index={},
            status=Status.ACTIVE,
            head_number=0,
            created_at=act.now,
            updated_at=act.now,
        )
        Version.objects.create(
            **_columns_of(Version, version)
            | {
                "session_id": document_id,
                "number": 0,
                "body_number": 0,
                "actor_kind": act.actor.kind,
                "actor_id": act.actor.id,
                "actor_label": act.actor.label,
                "request_digest": sha256(b"").digest(),
                "chain": proof.chain(proof.NO_CHAIN, 0, version.leaf),
                "requested_at": act.now,
                "created_at": act.now,
            }
        )
        Body.objects.create(
            **_columns_of(Body, body) | {"session_id": document_id, "number": 0}
        )
    return document_id


def be_document(session_id: str) -> None:
    """Have a session be a document, with all that was made of it as a session."""
    with acting_as(Role.OWNER):
        Session.objects.filter(id=session_id).update(kind=Kind.KEYED)


def _columns_of(model: type[models.Model], sealed: Any) -> dict[str, Any]:
    names = {field.name for field in model._meta.concrete_fields}
    return {name: getattr(sealed, name) for name in names if hasattr(sealed, name)}
