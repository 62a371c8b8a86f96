"""Acts as tests make them: who acts, where, when, under which request."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core.actors import SYSTEM, Actor
from apps.core.provenance import Provenance, Request


def act_in(
    where: Project | Scope,
    by: Actor = SYSTEM,
    now: datetime | None = None,
    **request: Any,
) -> Act:
    """Return an act in this project, now unless a moment is given."""
    return Act(
        scope=where if isinstance(where, Scope) else Scope(where),
        actor=by,
        now=now or timezone.now(),
        request=Request(**({"id": "req_test"} | request)),
    )


def act_by(by: Actor = SYSTEM, now: datetime | None = None) -> Provenance:
    """Return who acts, now unless a moment is given, where no project is asked for."""
    request = Request(id="req_test")
    return Provenance(actor=by, now=now or timezone.now(), request=request)
