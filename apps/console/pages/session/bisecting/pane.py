"""One version of a bisect: what it changed, what was said, and its state."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from apps.accounts.models import Project
from apps.agents.mapping import agents_noise
from apps.console import queries
from apps.console.pages.session import timeline_rows, version_pane, version_text
from apps.timeline.bisect import Place
from apps.timeline.errors import VersionNotFound, VersionPruned
from apps.timeline.queries import listed_turns

TURNS = 2


def shown(
    project: Project,
    place: Place,
    given: dict[str, Any],
    *,
    before: Place | None,
    now: datetime,
    with_state: bool = False,
) -> dict[str, Any]:
    """Return the context of a version against the one that came before it.

    `given` are the pane's parameters. Which came before is a matter of the history that
    is passed, not of numbers; where that is gone, what the append noted is shown.

    Raises: VersionNotFound, VersionPruned.
    """
    session = queries.session(project, place.session_id)
    version, previous = queries.version(session, place.number)
    if before is not None and before.session_id == session.id:
        try:
            previous, _ = queries.version(session, before.number)
        except (VersionNotFound, VersionPruned):
            previous = None
    look = version_pane.Look(
        project=project,
        session=session,
        version=version,
        previous=previous,
        now=now,
    )
    turns = [timeline_rows.turn(one) for one in listed_turns(session.id, [version])]
    context = {
        "session": session,
        "version": version,
        "previous": previous,
        "operation": version_text.operation(version),
        "flags": version_text.flag_words(
            version, previous, agents_noise(session.agent)
        ),
        "turns": turns[:TURNS],
        **version_pane.shown(look, {**given, "tab": "changes"}),
    }
    if with_state:
        state = version_pane.shown(look, {**given, "tab": "state"})
        context["state"] = state
    return context
