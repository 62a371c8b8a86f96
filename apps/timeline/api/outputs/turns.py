"""Turns, contexts, traces and the combined history, as answered."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.core.http.input.fields import ObjectField
from apps.timeline.api.outputs.common import (
    LastRollback,
    ListEnvelope,
    Output,
    Spent,
    contents_erased,
    maybe_number,
    maybe_text,
    open_object,
    removed,
    text,
)
from apps.timeline.api.outputs.previews import FittingSummary, TurnSummary
from apps.timeline.api.outputs.versions import Version


@extend_schema_field(
    {
        "type": "object",
        "description": "As it was sent, with these keys; others stay as they were.",
        "properties": {
            "type": {"type": "string"},
            "content": {
                "type": "string",
                "description": "Always a text: another value is written as JSON here.",
            },
            "content_json": {"description": "The content, where it is not a text."},
        },
        "required": ["type", "content"],
        "additionalProperties": {},
    }
)
class SaidObject(ObjectField):
    """One side of a turn."""


class TurnUsage(Output):
    """What a turn used, as it said; what it did not say is null."""

    input_tokens = maybe_number()
    output_tokens = maybe_number()
    cached_tokens = maybe_number("Of the input's.")
    cost = maybe_text("Decimal text.")
    currency = maybe_text()
    model = maybe_text()
    release = maybe_text()
    price_id = maybe_text("The price list that filled in the cost.")


class Turn(Output):
    """One exchange with the agent, and the state it left."""

    object = text()
    id = text()
    session_id = text()
    turn_number = serializers.IntegerField()
    version = serializers.IntegerField(help_text="The head it left.")
    made_version = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    input = SaidObject(required=True, allow_null=False)
    output = SaidObject(required=True, allow_null=False)
    input_preview = text()
    output_preview = text()
    metadata = ObjectField(required=True)
    reasoning = maybe_text()
    trace_id = text()
    state_before = ObjectField(required=True)
    state_after = ObjectField(required=True)
    contents_erased = contents_erased()
    states_erased = serializers.BooleanField(
        help_text="A state that it was sent with or left was erased: null here."
    )
    usage = TurnUsage(allow_null=True, help_text="Null where it said nothing of it.")
    spent = Spent(
        allow_null=True, help_text="Totals of the session's turns up to this one."
    )
    advice = text(
        "How a value over 256 KiB is better kept, where the turn has one.",
        required=False,
    )


class TurnList(ListEnvelope):
    """One page of turns."""

    data = Turn(many=True)
    removed = removed("between these")


class RecalledMemory(Output):
    """What is remembered of the session, its user, its agent or the project."""

    id = text()
    content = text()
    type = text()
    score = serializers.FloatField(
        allow_null=True, help_text="How near the query it is, 0 to 1; without one null."
    )
    created_at = serializers.DateTimeField()
    scope = text("session, user, agent or project.")
    tags = serializers.ListField(child=serializers.CharField())
    confidence = serializers.FloatField()


class Context(Output):
    """What an agent needs for its next call."""

    session_id = text()
    version = serializers.IntegerField()
    state = open_object()
    memories = RecalledMemory(many=True, help_text="Nearest first; else newest.")
    average_relevance = serializers.FloatField(help_text="The mean of the scores.")
    drift_warning = serializers.BooleanField(
        help_text="Of three memories or more none is near the query."
    )
    summary = TurnSummary(
        allow_null=True,
        help_text="Of those that count, the one that reaches furthest.",
    )
    older_summaries = FittingSummary(
        many=True, help_text="As many as were asked for; the nearest or newest first."
    )
    recent_turns = Turn(many=True, help_text="Those since the summary, newest first.")
    removed = removed("or emptied among the turns since the summary")
    last_rollback = LastRollback(allow_null=True)


class TraceContext(Output):
    """The request behind a trace."""

    request_id = text()
    api_key_id = maybe_text()


class TraceMetadata(Output):
    """The request behind a trace, where older clients read it."""

    request_id = text()


class Trace(Output):
    """One act, as it was recorded."""

    object = text()
    id = text()
    session_id = maybe_text()
    action = text("StateBase's name.")
    event = text("Our name.")
    resource_type = text()
    resource_id = text()
    version = maybe_number()
    actor = text()
    actor_id = text()
    actor_kind = text()
    timestamp = serializers.DateTimeField()
    created_at = serializers.DateTimeField()
    details = open_object("Depends on the action.")
    context = TraceContext()
    metadata = TraceMetadata()
    ip_address = maybe_text()


class TraceList(ListEnvelope):
    """One page of traces."""

    data = Trace(many=True)


class History(Output):
    """The newest versions of a session, its turns and traces beside them."""

    object = text()
    session_id = text()
    current_version = serializers.IntegerField()
    data = Version(many=True)
    removed = removed("between these")
    has_more = serializers.BooleanField()
    turns = Turn(many=True)
    traces = Trace(many=True, required=False)
