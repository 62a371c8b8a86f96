"""What apps above keep beside agents' documents, for `manage.py verify` to hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from apps.accounts.models import Project
from apps.audit.comparing import Difference, Tally

# Yields what is not as an agent's records and history say, and counts what it looked
# at; by the app that keeps it.
Beside = Callable[[Project, str, Tally], Iterator[Difference]]
BESIDE: dict[str, Beside] = {}


def differences(project: Project, agent_id: str, tally: Tally) -> Iterator[Difference]:
    """Yield what does not hold of all that is kept beside an agent's document."""
    for compare in BESIDE.values():
        yield from compare(project, agent_id, tally)
