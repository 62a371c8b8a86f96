"""What an agent works through, and what it rests on: tasks and facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Unpack

from stepback import answers
from stepback._async.resource import AsyncResource
from stepback.calls import given
from stepback.stories import Json, Noted

TaskStatus = Literal["pending", "in_progress", "completed", "failed", "skipped"]


class AsyncSessionWork(AsyncResource):
    """Tasks and facts of a session."""

    async def update_task(
        self,
        session_id: str,
        task_id: str | int,
        *,
        status: TaskStatus | None = None,
        title: str | None = None,
        note: str | None = None,
        reasoning: str | None = None,
        **written: Unpack[Noted],
    ) -> answers.ChangedTask:
        """Set fields of one task of the head, as a new version.

        Raises: TaskNotFound; TaskAmbiguous where several have this id; Conflict if
        `expected_version` is not the head.
        """
        body = given(
            status=status, title=title, note=note, reasoning=reasoning, **written
        )
        return await self._send(
            "PATCH",
            ("sessions", session_id, "tasks", task_id),
            body,
            answers.ChangedTask.of,
        )

    async def check_facts(
        self,
        session_id: str,
        values: Mapping[str, Json],
        *,
        only: Sequence[str] | None = None,
        observed_at: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.CheckedFacts:
        """Hold what the session remembers to live values, before it goes on.

        All facts are checked, or `only` those and the ones with a live value.

        Raises: AssumptionsChanged where one has changed, or nobody knows: approvals
        that depend on it are void by then, and asked again.
        """
        body = given(
            values=dict(values),
            only=None if only is None else list(only),
            observed_at=observed_at,
        )
        return await self._send(
            "POST",
            ("sessions", session_id, "facts", "check"),
            body,
            answers.CheckedFacts.of,
            idempotency_key,
        )
