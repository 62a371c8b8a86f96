"""What is told of surveys and experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class ListedSurvey(Answer):
    """A check that is looked for in many sessions."""

    id: str
    is_all: bool
    reaches_to: str
    asked_by: str
    created_at: str
    check: str | None = None
    q: str | None = None
    looked_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class Survey(ListedSurvey):
    """In which share of them it broke; `share` is null where there are too few."""

    sessions: int
    not_looked_into: int
    good: int
    bad: int
    unknown: int
    inherited: int
    unplaced: int
    by_release: Sequence[Mapping[str, Json]]
    by_model: Sequence[Mapping[str, Json]]


@dataclass(frozen=True, kw_only=True)
class ListedExperiment(Answer):
    """Some forks of one version."""

    id: str
    name: str
    status: str
    version: int
    checks: Sequence[str]
    made_by: str
    created_at: str
    session_id: str | None = None
    closed_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class Experiment(ListedExperiment):
    """Forks of one version side by side, as they are now."""

    variants: Sequence[Mapping[str, Json]]
