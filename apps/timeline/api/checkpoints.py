"""Versions as a checkpointer reads them, what its tasks wrote, what it has deleted."""

from __future__ import annotations

import base64
from typing import Any

from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
)
from orjson import Fragment
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import answered
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http.input.fields import (
    FlagField,
    InputSerializer,
    ListField,
    TextField,
    WholeNumberField,
)
from apps.core.http.openapi.schema import errors
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters, shapes
from apps.timeline.api.base import TimelineView
from apps.timeline.api.outputs.gaps import removed_on_page
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.bodies import bundles
from apps.timeline.operations import TaskWrite
from apps.timeline.queries import checkpoints, listing
from apps.timeline.queries.checkpoints import Pending
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import VersionRow

WRITES_ERRORS = errors(400, 401, 403, 404, 409, 413, 415, 422, 423, 429, 503)


class TaskWriteInput(InputSerializer):
    """One value that a task wrote."""

    index = WholeNumberField(required=True, allow_null=False, min_value=-1_000)
    channel = TextField(required=True, allow_null=False)
    type = TextField(required=True, allow_null=False, help_text="How it is written.")
    base64 = TextField(required=True, allow_null=False)


@extend_schema_field(TaskWriteInput(many=True))
class TaskWritesField(ListField):
    """What a task wrote."""

    holds = TaskWriteInput


@extend_schema_serializer(component_name="AddWrites")
class WritesInput(InputSerializer):
    """What a task wrote for the step after a checkpoint."""

    checkpoint_id = TextField(required=True, allow_null=False, allow_blank=False)
    task_id = TextField(required=True, allow_null=False, allow_blank=False)
    task_path = TextField(help_text="Where the task stands among its siblings.")
    replace = FlagField(help_text="The newest of an index counts, not the first.")
    writes = TaskWritesField(required=True, allow_null=False)

    def task_writes(self) -> list[TaskWrite]:
        """Raises: InvalidRequest, naming the write."""
        return [
            _task_write(given, f"writes[{index}]")
            for index, given in enumerate(self.validated_data["writes"])
        ]


@extend_schema_serializer(component_name="HideVersions")
class HideInput(InputSerializer):
    """Versions that the checkpointer has deleted, both ends included."""

    first_version = WholeNumberField(required=True, allow_null=False, min_value=0)
    last_version = WholeNumberField(required=True, allow_null=False, min_value=0)


class CheckpointsView(TimelineView):
    """The versions that a checkpointer sees."""

    @extend_schema(
        operation_id="list_checkpoints",
        parameters=[
            parameters.limit(20),
            parameters.text("checkpoint_id", "Only the one of this name."),
            OpenApiParameter("starting_after", int, description="A version number."),
            parameters.include("include_state", default=False),
            parameters.include("include_merges", default=False),
        ],
        responses={200: outputs.NamedCheckpointList, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List checkpoints, newest first, with opaque parts and pending writes.

        Holds and merges by others are left out, and what the checkpointer has deleted.
        """
        limit = paging.limit_of(request)
        before = paging.integer_of(request, "starting_after", minimum=0, maximum=2**53)
        name = paging.text_of(request, "checkpoint_id")
        # Read whether they are used or not: what cannot be is refused.
        with_merges = paging.flag_of(request, "include_merges")
        with_state = paging.flag_of(request, "include_state")
        head = self.version(session_id, None)
        if name is None:
            found = checkpoints.newest(
                session_id, before=before, limit=limit, with_merges=with_merges
            )
        else:
            found = checkpoints.named(session_id, name)
        shown = listing.within_bytes(found[:limit], lambda version: version.body_size)
        if name is not None and not found and head.erasures:
            checkpoints.require_not_pruned(session_id, name, head.number)
        objects = _checkpoint_objects(session_id, shown, with_state=with_state)
        envelope = paging.page(objects, limit, lambda item: str(item["version"]))
        envelope["has_more"] = len(found) > len(shown)
        about: dict[str, Any] = {
            "session_id": session_id,
            "current_version": head.number,
        }
        about["removed"] = removed_on_page(
            head,
            [version.number for version in shown],
            newest_first=True,
            after=before,
            has_more=envelope["has_more"],
            with_emptied=True,
        )
        return Response(envelope | about)


class WritesView(TimelineView):
    """What tasks wrote before the checkpoint that will hold it."""

    @extend_schema(
        operation_id="add_writes",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=WritesInput,
        examples=examples.WRITES,
        responses={201: outputs.WritesAdded, **WRITES_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Keep writes of a task; the checkpoint that they follow may come later."""
        return answered(
            request,
            scope=self.scope,
            perform=lambda: (201, json.dumps(self._added(session_id))),
        )

    def _added(self, session_id: str) -> dict[str, Any]:
        given = self.read(WritesInput)
        data = given.validated_data
        count = timeline.add_writes(
            session_id=session_id,
            checkpoint_id=data["checkpoint_id"],
            task_id=data["task_id"],
            task_path=data.get("task_path") or "",
            writes=given.task_writes(),
            replace=bool(data.get("replace")),
            act=self.act,
        )
        return {
            "object": "writes",
            "session_id": session_id,
            "checkpoint_id": data["checkpoint_id"],
            "task_id": data["task_id"],
            "count": count,
        }


class HiddenView(TimelineView):
    """What a checkpointer has deleted for itself."""

    @extend_schema(
        operation_id="hide_versions",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=HideInput,
        examples=examples.HIDE,
        responses={201: outputs.VersionsHidden, **WRITES_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Hide versions from `checkpoints`; the history keeps them."""
        return answered(
            request,
            scope=self.scope,
            perform=lambda: (201, json.dumps(self._hidden(session_id))),
        )

    def _hidden(self, session_id: str) -> dict[str, Any]:
        given = self.read(HideInput).validated_data
        first, last = timeline.hide_versions(
            session_id=session_id,
            first=given["first_version"],
            last=given["last_version"],
            act=self.act,
        )
        return {
            "object": "hidden_versions",
            "session_id": session_id,
            "first_version": first,
            "last_version": last,
        }


def _task_write(given: Any, where: str) -> TaskWrite:
    if not isinstance(given, dict):
        raise InvalidRequest(f"{where} must be an object.", param=where)
    checked = TaskWriteInput(data=given)
    if not checked.is_valid():
        name, said = next(iter(checked.errors.items()))
        raise InvalidRequest(f"{where}.{name}: {said[0]}", param=f"{where}.{name}")
    data = checked.validated_data
    return TaskWrite(
        index=data["index"],
        channel=data["channel"],
        type=data["type"],
        data=bundles.decoded(data["base64"], f"{where}.base64"),
    )


def _checkpoint_objects(
    session_id: str, shown: list[VersionRow], *, with_state: bool
) -> list[dict[str, Any]]:
    names = [checkpoints.name_of(version) for version in shown]
    writes = checkpoints.pending(session_id, names)
    all_parts = fetching.bundles_of(shown)
    objects = []
    for version, name in zip(shown, names, strict=True):
        parts = all_parts[version.session_id, version.number]
        item = shapes.named_checkpoint_object(version, name, parts)
        item["writes"] = [_write_object(one) for one in writes[name]]
        if with_state:
            item["state"] = Fragment(reading.state_part(parts))
        objects.append(item)
    return objects


def _write_object(write: Pending) -> dict[str, Any]:
    return {
        "task_id": write.task_id,
        "task_path": write.task_path,
        "index": write.index,
        "channel": write.channel,
        "type": write.type,
        "base64": base64.b64encode(write.data).decode(),
    }
