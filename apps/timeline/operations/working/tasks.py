"""Changing one task: an update that leaves the state and other tasks as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from apps.agents.acts import Act
from apps.core import json
from apps.core.json import Json
from apps.timeline import hooks, ledger
from apps.timeline.bodies import Part
from apps.timeline.bodies.bundles import JSON
from apps.timeline.bodies.tasks import PART, is_named, tasks_in
from apps.timeline.errors import TaskAmbiguous, TaskNotFound
from apps.timeline.ledger import gated, policies
from apps.timeline.ledger.drafts import ANY_HEAD, Expected, Receipt, Write
from apps.timeline.operations.states import draft_of
from apps.timeline.versions import reading
from apps.timeline.versions.reading import Step, VersionRow
from apps.timeline.words import Op


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskChange:
    """The fields of a task that are set; all others stay as they are."""

    fields: Mapping[str, Json]


def update_task(
    *,
    act: Act,
    session_id: str,
    task_id: str,
    change: TaskChange,
    step: Step,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Set fields of one task of the head, as a new version.

    Without an expected head a writer that loses the race changes the newer head's task:
    two who change two tasks at once both have their way.

    Raises: TaskNotFound, TaskAmbiguous, what `ledger.append` or a gate raises.
    """

    def build(head: VersionRow) -> Write:
        tasks = _changed(tasks_in(reading.parts(head)), task_id, change)
        json.check({PART: tasks})
        given = (Part(PART, JSON, json.dumps(tasks)),)
        state = reading.parsed(head)
        return Write(
            draft=draft_of(Op.UPDATE, head, state=state, given=given, step=step)
        )

    append = gated.append if hooks.APPEND else ledger.append
    return append(
        act=act,
        session_id=session_id,
        build=build,
        expected=expected,
        policy=policies.WRITE[act.actor.kind],
    )


def _changed(tasks: list[Json], task_id: str, change: TaskChange) -> list[Json]:
    """Return the tasks with this one changed.

    Raises: TaskNotFound, TaskAmbiguous.
    """
    named = [place for place, one in enumerate(tasks) if is_named(one, task_id)]
    if not named:
        raise TaskNotFound(param="task")
    if len(named) > 1:
        raise TaskAmbiguous(param="task", places=named[:10])
    (place,) = named
    task = tasks[place]
    known = task if isinstance(task, dict) else {}
    return [*tasks[:place], {**known, **change.fields}, *tasks[place + 1 :]]
