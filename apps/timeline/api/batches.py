"""`POST /v1/sessions/{id}/versions`: many versions at once, all of them or none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from drf_spectacular.utils import extend_schema_serializer as named
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.errors import InvalidRequest, UnacceptableJson
from apps.core.http import problem_of
from apps.core.http.input.fields import (
    InputSerializer,
    ListField,
    TextField,
    WholeNumberField,
)
from apps.core.time.moments import utc_text
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters
from apps.timeline.api.inputs.states import UpdateInput
from apps.timeline.api.outputs.common import Output, maybe_text, open_object, text
from apps.timeline.api.states import WRITE_ERRORS, state_object
from apps.timeline.api.versions import VersionsView
from apps.timeline.bodies import bundles
from apps.timeline.ledger.drafts import Receipt
from apps.timeline.ledger.encoding import batches
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Hold, Op

_IN_ITEM = re.compile(r"/versions/([0-9]{1,9})(?:/|$)", re.ASCII)
OPS = {"update": Op.UPDATE, "replace": Op.REPLACE}


@extend_schema_field({"type": "string", "pattern": "^(update|replace)$"})
class OpField(TextField):
    """What an item does; unset or null is an update."""

    def to_internal_value(self, data: Any) -> str:
        op = super().to_internal_value(data)
        if op not in OPS:
            raise serializers.ValidationError("This takes update or replace.")
        return op


@named(component_name="BatchItem")
class ItemInput(UpdateInput):
    """One version: what PATCH takes, or with `op` replace what PUT takes."""

    op = OpField(help_text="update, which is what it does if unset, or replace.")
    # The batch names the head that it builds on; an item builds on the item before.
    expected_version = None  # type: ignore[assignment]
    refused = {
        **UpdateInput.refused,
        "expected_version": "name the head for the whole batch, beside `versions`.",
    }

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if OPS[attrs.get("op") or "update"] is Op.UPDATE:
            return super().validate(attrs)
        if attrs.get("state") is None:
            raise serializers.ValidationError({"state": "This field is required."})
        for name in ("updates", "remove", "operations"):
            if attrs.get(name) is not None:
                raise serializers.ValidationError(
                    {name: "To replace takes the state as a whole."}
                )
        return attrs

    def item(self) -> timeline.BatchItem:
        """Return the version that was asked for."""
        given = self.validated_data
        return timeline.BatchItem(
            op=OPS[given.get("op") or "update"],
            state=given.get("state") or {},
            remove=given.get("remove") or (),
            operations=given.get("operations") or (),
            parts=bundles.named_parts(given),
            step=self.step(),
        )


@extend_schema_field(ItemInput(many=True))
class ItemsField(ListField):
    """The versions, each read on its own so that a refusal can name it."""

    holds = ItemInput


@named(component_name="AppendBatch")
class BatchInput(InputSerializer):
    """Up to 100 versions of one session."""

    versions = ItemsField(required=True, allow_null=False)
    expected_version = WholeNumberField(
        min_value=0, help_text="The head you built on; 409 if it has moved."
    )

    def items(self) -> list[timeline.BatchItem]:
        """Return the versions that were asked for.

        Raises: InvalidRequest, UnacceptableJson, PayloadTooLarge, naming the item.
        """
        given = self.validated_data["versions"]
        batches.require_count(len(given))
        return list(_items(given))


class BatchVersion(Output):
    """One version that the batch made."""

    version = serializers.IntegerField()
    trace_id = text()
    created_at = serializers.DateTimeField()
    external_id = maybe_text()


class Batch(Output):
    """What a batch made, and the state it left."""

    object = text()
    session_id = text()
    first_version = serializers.IntegerField()
    last_version = serializers.IntegerField()
    version = serializers.IntegerField(help_text="The last version.")
    versions = BatchVersion(many=True, help_text="All that it made, in their order.")
    state = open_object("The state of the last version.")
    hold = serializers.ChoiceField(choices=Hold.choices)
    last_rollback = outputs.LastRollback(
        allow_null=True, help_text="So that a running agent learns of it."
    )


class BatchesView(VersionsView):
    """The versions of a session, and the way to add many at once."""

    @extend_schema(
        operation_id="append_batch",
        parameters=parameters.WRITE,
        request=BatchInput,
        examples=examples.BATCH,
        responses={201: Batch, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Append up to 100 versions, all of them or none; an error names the item."""
        with _told_by_the_parser():
            given = self.read(BatchInput)
        receipt = timeline.append_batch(
            session_id=session_id,
            items=given.items(),
            act=self.act,
            expected=self.expected(given.validated_data.get("expected_version")),
        )
        made = receipt.made or (self.shown(session_id, receipt.number),)
        body = batch_object(_made(receipt), made[-1])
        return self.answer(body, receipt, made[-1].number, status=201)


@contextmanager
def _told_by_the_parser() -> Iterator[None]:
    """Name the item of what the parser refused before there were items."""
    try:
        yield
    except UnacceptableJson as error:
        found = _IN_ITEM.match(error.param or "")
        if found:
            error.details["item"] = int(found[1])
        raise


def _items(given: list[Any]) -> Iterator[timeline.BatchItem]:
    for index, one in enumerate(given):
        with batches.item(index):
            if not isinstance(one, dict):
                raise UnacceptableJson("This must be a JSON object.")
            read = ItemInput(data=one)
            _require_valid(read)
            yield read.item()


def _require_valid(read: ItemInput) -> None:
    """Tell a wrong field in the ledger's way, so that the item can be put before it."""
    try:
        read.is_valid(raise_exception=True)
    except serializers.ValidationError as error:
        told = problem_of(error)
        message = told.message.removeprefix(f"{told.param}: ")
        raise InvalidRequest(message, param=told.param) from error


def _made(receipt: Receipt) -> Sequence[VersionRow]:
    if receipt.made:
        return receipt.made
    first = receipt.number if receipt.first_number is None else receipt.first_number
    return fetching.versions_at(receipt.session_id, range(first, receipt.number + 1))


def batch_object(made: Sequence[VersionRow], last: VersionRow) -> dict[str, Any]:
    """Describe a batch by what it made, and the last of it with its state."""
    state = state_object(last, reading.state(last), fetching.last_rollback(last))
    return {
        "object": "batch",
        "session_id": last.session_id,
        "first_version": made[0].number,
        "last_version": last.number,
        "version": last.number,
        "versions": [
            {
                "version": version.number,
                "trace_id": version.trace_id,
                "created_at": utc_text(version.created_at),
                "external_id": version.external_id,
            }
            for version in made
        ],
        **{name: state[name] for name in ("state", "hold", "last_rollback")},
    }
