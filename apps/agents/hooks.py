"""What apps above tell of agents: how much each keeps, and what their texts mean.

Agents keep no data themselves. Until an app registers its counts there can be none, so
none are what is answered; nor is anything near a question until one can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from apps.accounts.models import Project


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """How many keys and checkpoints an agent has, and the number of its config."""

    data: int = 0
    checkpoints: int = 0
    # 0: it has no config.
    config_version: int = 0


NONE = Counts()
# Returns the counts of agents of one project by their ids, in one statement; who is
# left out has none.
Count = Callable[[Project, Sequence[str]], Mapping[str, Counts]]
COUNTERS: dict[str, Count] = {}


def counts_of(project: Project, agent_ids: Sequence[str]) -> dict[str, Counts]:
    """Return what each of these agents keeps."""
    found = dict.fromkeys(agent_ids, NONE)
    if agent_ids:
        for count in COUNTERS.values():
            found |= count(project, agent_ids)
    return found


# Returns how near texts are to a question, from 0 to 1; None where that cannot be told.
Nearness = Callable[[str, Sequence[str]], Sequence[float] | None]
NEARNESS: dict[str, Nearness] = {}


def nearness(question: str, texts: Sequence[str]) -> Sequence[float] | None:
    """Return how near each text is in meaning; None where nobody can tell."""
    for told in NEARNESS.values():
        if texts and (found := told(question, texts)) is not None:
            return found
    return None
