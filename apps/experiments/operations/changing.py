"""Renaming an experiment, and closing it."""

from __future__ import annotations

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.experiments.errors import ExperimentClosed
from apps.experiments.models import Experiment
from apps.experiments.operations.recording import record
from apps.experiments.operations.texts import name_of
from apps.experiments.words import Status


@transaction.atomic
def rename(*, act: Act, experiment_id: str, name: str) -> Experiment:
    """Give it another name; the one that it has is no change.

    Raises: ExperimentNotFound, ExperimentClosed, UnacceptableExperiment.
    """
    title, experiment = name_of(name), _held(act, experiment_id)
    if experiment.is_closed:
        raise ExperimentClosed
    if title == experiment.name:
        return experiment
    experiment.name = title
    experiment.save(update_fields=["name"])
    record(Action.EXPERIMENT_RENAMED, experiment, act, {})
    return experiment


@transaction.atomic
def close(*, act: Act, experiment_id: str) -> Experiment:
    """Close it: it stays as it is. One that is closed already is no change.

    Raises: ExperimentNotFound.
    """
    experiment = _held(act, experiment_id)
    if experiment.is_closed:
        return experiment
    experiment.status, experiment.closed_at = Status.CLOSED, act.now
    experiment.save(update_fields=["status", "closed_at"])
    record(Action.EXPERIMENT_CLOSED, experiment, act, {})
    return experiment


def _held(act: Act, experiment_id: str) -> Experiment:
    return Experiment.objects.seen_by(act.scope).locked(experiment_id)
