"""Tasks and facts of a session: change one, hold what is remembered to what is so."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import Body, act_of, answered
from apps.core import json
from apps.core.http import problem_of
from apps.timeline import operations as timeline
from apps.timeline.api import examples, parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.states import WRITE_ERRORS
from apps.timeline.api.working.inputs import FactsInput, TaskInput
from apps.timeline.api.working.outputs import ChangedTask, CheckedFacts
from apps.timeline.bodies import tasks
from apps.timeline.errors import AssumptionsChanged
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow

TASK = OpenApiParameter(
    "task", str, OpenApiParameter.PATH, description="The `id` that the task has."
)


class TaskView(TimelineView):
    """One task of the head."""

    @extend_schema(
        operation_id="update_task",
        parameters=[*parameters.WRITE, TASK],
        request=TaskInput,
        examples=examples.TASK,
        responses={200: ChangedTask, **WRITE_ERRORS},
    )
    def patch(self, request: Request, session_id: str, task: str) -> Response:
        """Set fields of one task, as a new version; all else stays as it is."""
        given = self.read(TaskInput)
        receipt = timeline.update_task(
            act=self.act,
            session_id=session_id,
            task_id=task,
            change=given.change(),
            step=given.step(),
            expected=self.expected(given.validated_data.get("expected_version")),
        )
        made = receipt.made
        version = made[-1] if made else self.version(session_id, receipt.number)
        return self.answer(_changed(version, task), receipt, version.number)


class FactsCheckView(TimelineView):
    """What the head remembers of the world, against what is so."""

    @extend_schema(
        operation_id="check_facts",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=FactsInput,
        examples=examples.FACTS,
        responses={200: CheckedFacts, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Compare facts with live values before the session goes on.

        Where one has changed, or nobody knows, it is 409 `assumptions_changed` with
        all of them: what depended on it is void, and people are asked again. What was
        found is stored first, so the next check is of what is known.
        """
        act = act_of(request)

        def perform() -> Body:
            given = self.read(FactsInput)
            try:
                found = timeline.check_facts(
                    act=act,
                    session_id=session_id,
                    values=given.validated_data["values"],
                    only=given.validated_data.get("only"),
                    observed_at=given.seen_at(),
                )
            except AssumptionsChanged as changed:
                # An answer, not an error that undoes: what it says is stored, and is
                # repeated to whoever sends the same key again.
                problem = problem_of(changed)
                return problem.status, json.dumps(problem.body(act.request.id))
            return 200, json.dumps(_checked(found))

        return answered(request, scope=act.scope, perform=perform)


def _checked(found: timeline.Assumptions) -> dict[str, Any]:
    return {
        "object": "checked_facts",
        "session_id": found.session_id,
        "version": found.number,
        "facts": [one.told() for one in found.facts],
    }


def _changed(version: VersionRow, id: str) -> dict[str, Any]:
    found = tasks.tasks_in(reading.parts(version))
    progress = tasks.progress(found) or tasks.Progress(0, 0)
    return {
        "object": "task",
        "session_id": version.session_id,
        "version": version.number,
        "task": next((one for one in found if tasks.is_named(one, id)), None),
        "next_task": tasks.next_task(found),
        "progress": asdict(progress),
    }
