"""Handing a checkpoint to another agent, and adopting one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.agents.scope import Scope
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import Actor
from apps.core.json import Json
from apps.timeline.bodies import Part
from apps.timeline.ledger.drafts import Receipt, Request, Step, require_text
from apps.timeline.ledger.facts.about import About
from apps.timeline.operations import descriptors
from apps.timeline.operations.sessions import fork
from apps.timeline.versions import reading

LONGEST_AGENT = 255


@transaction.atomic
def hand_off(
    *,
    scope: Scope,
    session_id: str,
    number: int | None,
    to_agent: str | None,
    actor: Actor,
    now: datetime,
    request: Request,
) -> dict[str, Json]:
    """Return a signed descriptor of a version; nothing is copied, no key is given.

    `to_agent` is a label: whoever may read the session can adopt it.

    Raises: SessionNotFound, VersionNotFound, InvalidRequest.
    """
    if to_agent is not None:
        require_text("to_agent", to_agent, LONGEST_AGENT)
    version = reading.version(scope, session_id, number, now=now)
    records = audit.record if actor.is_agent else audit.record_act
    records(
        stream_id=session_id,
        project_id=scope.project.id,
        action=Action.SESSION_HANDED_OFF,
        resource_type="session",
        resource_id=session_id,
        actor=actor,
        now=now,
        request_id=request.id,
        details={"version": version.number, "to_agent": to_agent},
        number=version.number,
    )
    return descriptors.descriptor(version, to_agent=to_agent, now=now)


def adopt(
    *,
    scope: Scope,
    handoff: Mapping[str, Any],
    agent: str | None = None,
    about: About,
    parts: tuple[Part, ...] = (),
    step: Step,
    actor: Actor,
    now: datetime,
    request: Request,
) -> Receipt:
    """Start a session from a version that was handed off: a fork of it.

    Raises: HandoffNotVerified before anything is written; what `fork` raises.
    """
    session_id, number = descriptors.verified(handoff, project_id=scope.project.id)
    version = reading.version(scope, session_id, number, now=now)
    descriptors.require_same(version, handoff)
    return fork(
        scope=scope,
        session_id=session_id,
        number=number,
        agent=agent,
        about=about,
        parts=parts,
        step=step,
        actor=actor,
        now=now,
        request=request,
    )
