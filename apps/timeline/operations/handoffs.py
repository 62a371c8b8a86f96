"""Handing a checkpoint to another agent, and adopting one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.json import Json
from apps.timeline.bodies import Part
from apps.timeline.ledger.drafts import Edit, Receipt
from apps.timeline.ledger.facts.about import About
from apps.timeline.operations import descriptors
from apps.timeline.operations.sessions import Origin, fork
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.gone import refused_as_conflict
from apps.timeline.versions.reading import Step, require_text

LONGEST_AGENT = 255


@transaction.atomic
def hand_off(
    *,
    act: Act,
    session_id: str,
    number: int | None,
    to_agent: str | None,
) -> dict[str, Json]:
    """Return a signed descriptor of a version; nothing is copied, no key is given.

    `to_agent` is a label: whoever may read the session can adopt it.

    Raises: SessionNotFound, VersionNotFound, InvalidRequest.
    """
    if to_agent is not None:
        require_text("to_agent", to_agent, LONGEST_AGENT)
    with refused_as_conflict():
        version = fetching.version(act.scope, session_id, number, now=act.now)
        reading.require_contents(version)
    audit.record_for(
        stream_id=session_id,
        project_id=act.project_id,
        action=Action.SESSION_HANDED_OFF,
        resource_type="session",
        resource_id=session_id,
        act=act,
        details={"version": version.number, "to_agent": to_agent},
        number=version.number,
    )
    return descriptors.descriptor(version, to_agent=to_agent, now=act.now)


def adopt(
    *,
    act: Act,
    handoff: Mapping[str, Any],
    agent: str | None = None,
    about: About,
    parts: tuple[Part, ...] = (),
    step: Step,
) -> Receipt:
    """Start a session from a version that was handed off: a fork of it.

    Raises: HandoffNotVerified before anything is written; what `fork` raises.
    """
    session_id, number = descriptors.verified(handoff, project_id=act.project_id)
    with refused_as_conflict():
        version = fetching.version(act.scope, session_id, number, now=act.now)
    descriptors.require_same(version, handoff)
    return fork(
        act=act,
        origin=Origin(session_id=session_id, number=number),
        edit=Edit(parts=parts),
        agent=agent,
        about=about,
        step=step,
    )
