"""What routes of exceptions take and answer; nulls mean "not said"."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import InputSerializer, NumberField, TextField
from apps.data.operations import NewException
from apps.data.operations.governing.exceptions import DAYS, MAX_REASON, MOST_DAYS
from apps.timeline.api.outputs.common import (
    Actor,
    ListEnvelope,
    Output,
    maybe_text,
    text,
)


@extend_schema_serializer(component_name="NewPolicyException")
class ExceptionInput(InputSerializer):
    """What is to pass: a blocked write's text, or keys that begin with a prefix."""

    audit_id = TextField(
        help_text="Of the blocked write: its rule, and without `prefix` its exact text."
    )
    rule = TextField(help_text="Such as `policy:block_pii`; in place of `audit_id`.")
    prefix = TextField(help_text="Keys that begin so, whatever is under them.")
    reason = TextField(
        required=True, allow_null=False, help_text=f"1 to {MAX_REASON} characters."
    )
    days = NumberField(help_text=f"Up to {MOST_DAYS}; {DAYS:g}, unless said.")

    def said(self) -> NewException:
        said = self.validated_data
        return NewException(
            reason=said["reason"],
            days=said.get("days"),
            audit_id=said.get("audit_id"),
            rule=said.get("rule"),
            prefix=said.get("prefix"),
        )


@extend_schema_serializer(component_name="PolicyException")
class ExceptionOutput(Output):
    """An exception from a policy, for one exact text or for a prefix of keys."""

    object = text()
    id = text("exc_…")
    rule = text("The policy.")
    prefix = maybe_text("Keys that begin so; null where one text is meant.")
    fingerprint = maybe_text("What stands for the text; null with a prefix.")
    kind = text("What the block had found; empty where none was named.")
    place = text("key, value or metadata, as the block said.")
    masked = text("The shape, as the block said.", allow_blank=True)
    reason = text()
    active = serializers.BooleanField(help_text="Whether it lets anything pass now.")
    actor = Actor()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


@extend_schema_serializer(component_name="PolicyExceptionList")
class ExceptionList(ListEnvelope):
    """A page of exceptions, the newest first."""

    data = ExceptionOutput(many=True)  # type: ignore[assignment]
