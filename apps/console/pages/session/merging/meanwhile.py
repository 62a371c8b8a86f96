"""What came since the head that a form had shown."""

from __future__ import annotations

from typing import Any

from apps.agents.mapping import agents_noise
from apps.console.pages.session import version_text
from apps.timeline.models import Session
from apps.timeline.versions import versions_of

SHOWN = 5


def came_since(session: Session, shown: int) -> list[dict[str, Any]]:
    """Return the first versions behind the one that was shown, in words."""
    noise = agents_noise(session.agent)
    came = versions_of(session.id, newest_first=False, after=shown, limit=SHOWN)
    return [
        {
            "version": version,
            "operation": version_text.operation(version),
            "words": version_text.words(version, noise),
        }
        for version in came[:SHOWN]
    ]
