"""What the API of agents' audits takes and answers.

Answers have every name that a published client or page reads: `id` and `entry_id`,
`hash` and `entry_hash`, `timestamp` and `created_at`.
"""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import TextField
from apps.data.models import ExportFormat
from apps.timeline.api.outputs.common import (
    Actor,
    ListEnvelope,
    Output,
    maybe_number,
    maybe_text,
    open_object,
    text,
)

START = "A time (ISO 8601), or the id of an event: from there on."
END = "A time (ISO 8601): before it."


@extend_schema_serializer(component_name="VerifyAudit")
class VerifyInput(serializers.Serializer[Any]):
    """From where the chain is recomputed; without anything, from its first event."""

    synonyms = {"start_time": "start"}

    start = TextField(help_text=START)
    start_time = TextField(help_text="Another name for `start`.")


@extend_schema_serializer(component_name="ExportAudit")
class ExportInput(serializers.Serializer[Any]):
    """Which piece of the audit is wanted, and how."""

    synonyms = {"start_time": "start", "end_time": "end"}

    format = serializers.ChoiceField(
        choices=ExportFormat.choices,
        required=False,
        allow_null=True,
        help_text="json (a line for each event), unless said.",
    )
    include_verification = serializers.BooleanField(
        required=False, allow_null=True, help_text="true, unless said."
    )
    start = TextField(help_text=START)
    start_time = TextField(help_text="Another name for `start`.")
    end = TextField(help_text=END)
    end_time = TextField(help_text="Another name for `end`.")


@extend_schema_serializer(component_name="AuditEvent")
class AuditEventOutput(Output):
    """One operation on an agent, linked to the one before it."""

    object = text()
    id = text("aud_…")
    entry_id = text("As `id`.")
    agent_id = text()
    number = serializers.IntegerField(help_text="In the chain, from 1, without a gap.")
    operation = text()
    event_type = text("As `operation`.")
    action = text("As `operation`.")
    resource_type = text()
    resource = text("Empty where it was erased.", allow_blank=True)
    resource_digest = maybe_text("HMAC of the resource, which the hash covers.")
    result = text("allowed, blocked or success")
    blocked_by = maybe_text("The policy that blocked it.")
    version = maybe_number("The version of the agent's document that it made.")
    actor = Actor()
    timestamp = serializers.DateTimeField()
    created_at = serializers.DateTimeField(help_text="As `timestamp`.")
    leaf = text("SHA-256 of what the event says.")
    hash = text("SHA-256 of `previous_hash`, `number` (8 bytes) and `leaf`.")
    entry_hash = text("As `hash`.")
    previous_hash = maybe_text("Null for the first event: 32 zero bytes.")
    metadata = open_object()
    data = open_object("As `metadata`.")  # type: ignore[assignment]


@extend_schema_serializer(component_name="AuditEventAnswer")
class AuditEventAnswer(AuditEventOutput):
    """The event at the top, and once more under `event`."""

    event = AuditEventOutput()


@extend_schema_serializer(component_name="AuditEventList")
class AuditListOutput(ListEnvelope):
    """A page of events, the newest first."""

    data = AuditEventOutput(many=True)  # type: ignore[assignment]
    events = AuditEventOutput(many=True, help_text="As `data`.")
    total = maybe_number(
        "What the filters find on all pages, exact up to 10,000, null beyond."
    )
    chain_start = maybe_text("The hash of the agent's first event.")
    chain_end = maybe_text("The hash of the agent's last event.")


class TimeRange(Output):
    """Between which moments the events were made."""

    start = serializers.DateTimeField(allow_null=True)
    end = serializers.DateTimeField(allow_null=True)


class InvalidEvent(Output):
    """The first event that does not hold."""

    id = text()
    number = serializers.IntegerField()
    timestamp = serializers.DateTimeField()
    expected_previous_hash = maybe_text("What it has to go on from, null for number 1.")
    actual_previous_hash = maybe_text("What it goes on from, where that can be said.")
    message = text()


@extend_schema_serializer(component_name="AuditSignatures")
class SignaturesOutput(Output):
    """What was signed of the chain, outside the database."""

    status = text("none, unsigned, signed, unread or broken.")
    message = text("Up to which event, in which note; or what contradicts it.")


@extend_schema_serializer(component_name="AuditVerification")
class VerificationOutput(Output):
    """What was recomputed of a chain."""

    object = text()
    valid = serializers.BooleanField(
        help_text="Whether the chain is intact, and no signature contradicts it."
    )
    chain_intact = serializers.BooleanField(
        help_text="Whether each event follows from the one before."
    )
    events_checked = serializers.IntegerField()
    chain_start = maybe_text("The hash of the first event that was checked.")
    chain_end = maybe_text("The hash of the last event that holds.")
    verified_at = serializers.DateTimeField()
    time_range = TimeRange()
    first_invalid = InvalidEvent(allow_null=True)
    signatures = SignaturesOutput(
        required=False, help_text="Of exports from before they were compared not there."
    )
    has_more = serializers.BooleanField()
    next_start = maybe_text("Give it as `start` to go on.")


@extend_schema_serializer(component_name="AuditExport")
class ExportOutput(Output):
    """An export, and the link under which its file is for 15 minutes."""

    object = text()
    id = text("exp_…")
    export_id = text("As `id`.")
    agent_id = text()
    format = text()
    download_url = text("Opens without a key; every download is recorded.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    event_count = serializers.IntegerField()
    from_number = serializers.IntegerField()
    to_number = serializers.IntegerField()
    chain_end = text("The hash of the last event in it.")
    has_more = serializers.BooleanField(
        help_text="The piece has more events than one export takes."
    )
    next_start = maybe_text("Give it as `start` for the rest.")
    verification = VerificationOutput(allow_null=True)
