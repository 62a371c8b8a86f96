"""Tasks and facts of a session, as answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class ChangedTask(Answer):
    """A task as a version has it, and the one to go on with."""

    session_id: str
    version: int
    task: Json
    progress: Mapping[str, int]
    next_task: Json = None


@dataclass(frozen=True, kw_only=True)
class CheckedFacts(Answer):
    """Facts that are all as they are remembered; each says `key`, `was` and `now`."""

    session_id: str
    version: int
    facts: Sequence[Mapping[str, Json]]
