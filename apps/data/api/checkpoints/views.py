"""Checkpoints over REST: make one, find them, restore, compare.

Paths and shapes are those of Anchor's clients.
"""

from __future__ import annotations

from typing import Any, TypedDict

from drf_spectacular.utils import (
    OpenApiParameter,
    PolymorphicProxySerializer,
    extend_schema,
)
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import paging
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY
from apps.data import operations as data
from apps.data.api.base import (
    AGENT,
    CURSOR,
    LIMIT,
    MAXIMUM_LIMIT,
    READ_ERRORS,
    WRITE_ERRORS,
    DataView,
)
from apps.data.api.checkpoints import outputs, shapes
from apps.data.api.checkpoints.inputs import (
    CheckpointInput,
    RestoreInput,
    ScheduleInput,
)
from apps.data.api.shapes import key_behind
from apps.data.documents.keys import LONGEST_KEY
from apps.data.operations.reading import PageAsked
from apps.data.operations.restoring import RestoredCheckpoint, RestoreWanted

LISTED = 20
ID = OpenApiParameter(
    "checkpoint_id", str, OpenApiParameter.PATH, description="Such as cp_…"
)
OTHER = OpenApiParameter(
    "other_id", str, OpenApiParameter.PATH, description="Another one, of any age."
)


class _About(TypedDict):
    reference: str
    checkpoint_id: str


class CheckpointCollection(DataView):
    """`/v1/agents/{agent}/checkpoints`"""

    @extend_schema(
        operation_id="create_agent_checkpoint",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=CheckpointInput,
        responses={200: outputs.CreatedCheckpoint, **WRITE_ERRORS},
    )
    def post(self, request: Request, agent: str) -> Response:
        """Keep config and data as they stand, to go back to; nothing is copied.

        Asked again while nothing was written, in the same words and by the same key,
        it is the same checkpoint.
        """
        said = self.read(CheckpointInput)

        def verb() -> dict[str, Any]:
            made = data.create_checkpoint(
                act=self.act, reference=agent, said=said.said()
            )
            return shapes.created_object(made)

        return self.perform(verb)

    @extend_schema(
        operation_id="list_agent_checkpoints",
        parameters=[
            AGENT,
            OpenApiParameter("limit", int, description=f"1 to {MAXIMUM_LIMIT}."),
            OpenApiParameter(
                "starting_after", str, description="The `last_id` of the page before."
            ),
        ],
        responses={200: outputs.CheckpointList, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str) -> Response:
        """List checkpoints, the newest first, `limit` (20) a page."""
        limit = paging.limit_of(request, LISTED, MAXIMUM_LIMIT)
        found = data.list_checkpoints(
            act=self.act,
            reference=agent,
            before=paging.text_of(request, "starting_after"),
            limit=limit + 1,
        )
        listed = paging.page(
            found.checkpoints,
            limit,
            lambda one: one.id,
            lambda one: shapes.checkpoint_object(found.agent, one),
        )
        return Response(listed | {"checkpoints": listed["data"], "total": found.total})


class CheckpointSchedule(DataView):
    """`/v1/agents/{agent}/checkpoints/schedule`"""

    @extend_schema(
        operation_id="get_agent_checkpoint_schedule",
        parameters=[AGENT],
        responses={200: outputs.Schedule, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str) -> Response:
        """Say on which schedule checkpoints are made, and when the next is due."""
        found = data.read_schedule(act=self.act, reference=agent)
        return Response(shapes.schedule_object(found))

    @extend_schema(
        operation_id="set_agent_checkpoint_schedule",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=ScheduleInput,
        responses={200: outputs.Schedule, **WRITE_ERRORS},
    )
    def put(self, request: Request, agent: str) -> Response:
        """Have checkpoints made on a schedule, by the worker; without one no more."""
        said = self.read(ScheduleInput).validated_data.get("schedule")

        def verb() -> dict[str, Any]:
            found = data.set_schedule(act=self.act, reference=agent, schedule=said)
            return shapes.schedule_object(found)

        return self.perform(verb)


class CheckpointDetail(DataView):
    """`/v1/agents/{agent}/checkpoints/{checkpoint_id}`"""

    @extend_schema(
        operation_id="get_agent_checkpoint",
        parameters=[
            AGENT,
            ID,
            OpenApiParameter("limit", int, description=f"1 to {MAXIMUM_LIMIT} keys."),
            CURSOR,
            OpenApiParameter("full", bool, description="With values (true), or not."),
        ],
        responses={200: outputs.CheckpointDetail, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str, checkpoint_id: str) -> Response:
        """Return a checkpoint: counts at the top, a page of keys in `checkpoint`.

        Keys whose time is over by now are counted, but not shown.
        """
        cursor = paging.text_of(request, "cursor", 4 * LONGEST_KEY)
        limit = paging.limit_of(request, LIMIT, MAXIMUM_LIMIT)
        is_full = paging.flag_of(request, "full", default=True)
        after = "" if cursor is None else key_behind(cursor)
        one = data.read_checkpoint(
            act=self.act, reference=agent, checkpoint_id=checkpoint_id
        )
        asked = PageAsked(
            limit=limit, after=after, at=one.checkpoint.number, is_full=is_full
        )
        page = data.list_values(act=self.act, reference=agent, asked=asked)
        return Response(shapes.detail_object(one, page, full=is_full))

    @extend_schema(
        operation_id="delete_agent_checkpoint",
        parameters=[AGENT, ID, IDEMPOTENCY_KEY],
        request=None,
        responses={200: outputs.DeletedCheckpoint, **WRITE_ERRORS},
    )
    def delete(self, request: Request, agent: str, checkpoint_id: str) -> Response:
        """Delete a checkpoint: nobody finds it any more, and all history stays."""

        def verb() -> dict[str, Any]:
            event_id = data.delete_checkpoint(
                act=self.act, reference=agent, checkpoint_id=checkpoint_id
            )
            return shapes.deleted_object(checkpoint_id, event_id)

        return self.perform(verb)


class CheckpointRestore(DataView):
    """`/v1/agents/{agent}/checkpoints/{checkpoint_id}/restore`"""

    @extend_schema(
        operation_id="restore_agent_checkpoint",
        parameters=[AGENT, ID, IDEMPOTENCY_KEY],
        request=RestoreInput,
        responses={
            200: PolymorphicProxySerializer(
                "RestoreOrPreview",
                [outputs.Restore, outputs.RestorePreview],
                resource_type_field_name=None,
            ),
            **WRITE_ERRORS,
        },
    )
    def post(self, request: Request, agent: str, checkpoint_id: str) -> Response:
        """Bring config and data back, as one version more; keys written since go.

        `dry_run` says what it would do: send the `number` of that answer as
        `expected_version`, and nobody's newer writes are undone unseen. Above 10,000
        keys it goes by steps, a version each, between which others write.
        """
        said = self.read(RestoreInput)
        about = _About(reference=agent, checkpoint_id=checkpoint_id)
        done: RestoredCheckpoint | None = None
        if not (said.is_dry_run or self.is_answered()):
            # Before the transaction of the answer, in which its locks would be held
            # while it is verified; repeated without the answer, it is known again.
            done = self._restored(said.wanted(), about)

        def verb() -> dict[str, Any]:
            if said.is_dry_run:
                found = data.preview_restore(
                    act=self.act, wanted=said.wanted(), **about
                )
                return shapes.preview_object(found)
            return shapes.restore_object(done or self._restored(said.wanted(), about))

        return self.perform(verb)

    def _restored(self, wanted: RestoreWanted, about: _About) -> RestoredCheckpoint:
        by_steps = data.restore_by_steps(act=self.act, wanted=wanted, **about)
        if by_steps is not None:
            return by_steps
        return data.restore_checkpoint(act=self.act, wanted=wanted, **about)


class CheckpointComparison(DataView):
    """`/v1/agents/{agent}/checkpoints/{checkpoint_id}/compare/{other_id}`"""

    @extend_schema(
        operation_id="compare_agent_checkpoints",
        parameters=[
            AGENT,
            ID,
            OTHER,
            OpenApiParameter("limit", int, description=f"1 to {MAXIMUM_LIMIT} keys."),
            CURSOR,
        ],
        responses={200: outputs.Comparison, **READ_ERRORS},
    )
    def get(
        self, request: Request, agent: str, checkpoint_id: str, other_id: str
    ) -> Response:
        """Say what differs from one checkpoint to another: config, and keys."""
        cursor = paging.text_of(request, "cursor", 4 * LONGEST_KEY)
        found = data.compare_checkpoints(
            act=self.act,
            reference=agent,
            ids=(checkpoint_id, other_id),
            after="" if cursor is None else key_behind(cursor),
            limit=paging.limit_of(request, LIMIT, MAXIMUM_LIMIT),
        )
        return Response(shapes.comparison_object(found))
