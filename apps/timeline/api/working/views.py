"""Tasks and facts of a session: change one, hold what is remembered to what is so."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.timeline import operations as timeline
from apps.timeline.api import examples, parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.states import WRITE_ERRORS
from apps.timeline.api.working.inputs import TaskInput
from apps.timeline.api.working.outputs import ChangedTask
from apps.timeline.bodies import tasks
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
