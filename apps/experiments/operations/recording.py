"""The chained record of what was done with an experiment."""

from __future__ import annotations

from typing import Any

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.experiments.models import Experiment


def record(action: Action, experiment: Experiment, act: Act, details: Any) -> None:
    """Write the event and its record; call it last. What people wrote is not in it."""
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=action,
        resource_type="experiment",
        resource_id=experiment.id,
        act=act,
        details=details,
    )
