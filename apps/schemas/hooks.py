"""What the app that keeps states tells of them: whether any is of a version.

Schemas know no states; without such an app there are none.
"""

from __future__ import annotations

from collections.abc import Callable

# Given a project's id, an agent's id and a version.
Written = Callable[[str, str, str], bool]
WRITTEN: dict[str, Written] = {}


def is_written(project_id: str, agent_id: str, version: str) -> bool:
    """Say whether a version of a state names this version of its schema."""
    return any(told(project_id, agent_id, version) for told in WRITTEN.values())
