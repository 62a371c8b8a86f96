"""The answers as the OpenAPI document describes them.

Only `state`, metadata, details and what agents put there themselves are open objects;
everything else is named and typed. Answers are made in `shapes`, which a test holds to
these.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.core.http.fields import ListField, ObjectField
from apps.timeline.words import Hold, Op, Status


class Output(serializers.Serializer[Any]):
    """An object of an answer. Every key is always there, unless it says otherwise."""


def text(help_text: str = "", **options: Any) -> serializers.CharField:
    return serializers.CharField(help_text=help_text, **options)


def maybe_text(help_text: str = "") -> serializers.CharField:
    return serializers.CharField(allow_null=True, help_text=help_text)


def maybe_number(help_text: str = "") -> serializers.IntegerField:
    return serializers.IntegerField(allow_null=True, help_text=help_text)


def open_object(help_text: str = "") -> ObjectField:
    return ObjectField(required=True, allow_null=False, help_text=help_text)


class LastRollback(Output):
    """The newest rollback, which a running agent may not have noticed."""

    version = serializers.IntegerField()
    restored_version = serializers.IntegerField()
    at = serializers.DateTimeField()


class Session(Output):
    """A session with the state of its head."""

    object = text()
    id = text()
    agent_id = text("Your name of the agent.")
    user_id = maybe_text()
    external_id = maybe_text()
    status = serializers.ChoiceField(choices=Status.choices)
    version = serializers.IntegerField(help_text="The number of the head.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    metadata = open_object()
    state = open_object("The state of that version.")
    memory_count = serializers.IntegerField()
    turn_count = serializers.IntegerField()
    rollback_count = serializers.IntegerField()
    ttl_expires_at = serializers.DateTimeField(allow_null=True)
    forked_from = maybe_text()
    forked_version = maybe_number()
    last_rollback = LastRollback(
        allow_null=True, required=False, help_text="When one session is read."
    )


class StartedSession(Session):
    """A session as it began, by a create or a fork."""

    session_id = text()
    trace_id = text()
    new_session_id = text("On a fork.", required=False)


class SessionMetadata(Output):
    """What can change about a session without a version."""

    object = text()
    id = text()
    agent_id = text()
    updated_at = serializers.DateTimeField()
    metadata = open_object()
    ttl_expires_at = serializers.DateTimeField(allow_null=True)


class ListEnvelope(Output):
    """One page of a list."""

    object = text()
    has_more = serializers.BooleanField()
    first_id = maybe_text()
    last_id = maybe_text("Give it as `starting_after` for the next page.")


class SessionList(ListEnvelope):
    """One page of sessions."""

    data = Session(many=True)


class State(Output):
    """The state of one version, and whether agents may write."""

    session_id = text()
    version = serializers.IntegerField()
    state = open_object()
    data = open_object("The state once more, for older clients.")
    created_at = serializers.DateTimeField(help_text="When the session began.")
    updated_at = serializers.DateTimeField(help_text="When this version was made.")
    trace_id = text()
    hold = serializers.ChoiceField(choices=Hold.choices)
    last_rollback = LastRollback(
        allow_null=True, help_text="So that a running agent learns of it."
    )


class Rollback(State):
    """The version that a rollback made, and what it restored."""

    success = serializers.BooleanField()
    new_version = serializers.IntegerField()
    restored_from_version = serializers.IntegerField()
    rolled_back_from_version = serializers.IntegerField()
    reason = maybe_text()
    reason_code = maybe_text()


class Actor(Output):
    """Who did it: a user, a key or the system."""

    kind = text()
    id = text()
    label = text()


class ShownChange(Output):
    """One difference between two states."""

    pointer = text("RFC 6901, into the later state; for removed, the earlier.")
    kind = text("added, removed, changed, type_changed or moved")
    before = serializers.JSONField(required=False)
    after = serializers.JSONField(required=False)
    from_pointer = text(required=False)


class Step(Output):
    """What the agent told of its step."""

    step_number = maybe_number()
    parent_id = maybe_text()
    objective_status = maybe_text()
    schema_version = maybe_text()
    release = maybe_text()
    model = maybe_text()


class Version(Step):
    """One immutable version: what it changed, who made it and why."""

    object = text()
    session_id = text()
    version = serializers.IntegerField()
    op = serializers.ChoiceField(choices=Op.choices)
    created_at = serializers.DateTimeField()
    updated_by = text()
    actor = Actor()
    reasoning = maybe_text()
    reason_code = maybe_text()
    trace_id = text()
    external_id = maybe_text()
    parent_version = maybe_number()
    restored_version = maybe_number("On a rollback.")
    hold = serializers.ChoiceField(choices=Hold.choices)
    size = serializers.IntegerField(help_text="Bytes of the state as JSON.")
    flags = serializers.ListField(child=serializers.CharField())
    labels = serializers.ListField(child=serializers.CharField())
    changes = ShownChange(many=True, help_text="The first changes, values shortened.")
    change_count = serializers.IntegerField()
    changes_truncated = serializers.BooleanField()
    chain = text("The version's place in the proof, hex.")
    state = ObjectField(required=False, help_text="Where states were asked for.")
    set_aside_by = serializers.IntegerField(
        allow_null=True, required=False, help_text="The rollback that set it aside."
    )


class VersionList(ListEnvelope):
    """One page of versions."""

    data = Version(many=True)
    current_version = serializers.IntegerField()


class StateHistory(Output):
    """Versions of a session with their states."""

    object = text()
    session_id = text()
    data = Version(many=True)
    current_version = serializers.IntegerField()
    has_more = serializers.BooleanField()


class Checkpoint(Step):
    """Everything that a run resumes from; parts never written are null."""

    object = text()
    session_id = text()
    version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    trace_id = text()
    reasoning = maybe_text()
    hold = serializers.ChoiceField(choices=Hold.choices)
    state = open_object()
    messages = ListField(required=True)
    tool_results = ObjectField(required=True)
    model_params = ObjectField(required=True)
    tasks = ListField(required=True)
    artifacts = ListField(required=True)


class ChangeList(Output):
    """What differs between two versions."""

    object = text()
    session_id = text()
    from_version = serializers.IntegerField()
    to_version = serializers.IntegerField()
    changes = ShownChange(many=True)
    change_count = serializers.IntegerField()
    truncated = serializers.BooleanField()
    summary = text("What changed, in words.")


class Label(Output):
    """A name that somebody gave a version."""

    object = text()
    session_id = text()
    version = serializers.IntegerField()
    label = text()
    created_at = serializers.DateTimeField()
    created_by = text()


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


class TurnList(ListEnvelope):
    """One page of turns."""

    data = Turn(many=True)


class Memory(Output):
    """A fact about the user that outlives sessions."""

    id = text()
    content = text()
    type = text()
    score = serializers.FloatField(help_text="How relevant it is, 0 to 1.")
    created_at = serializers.DateTimeField()


class Context(Output):
    """What an agent needs for its next call."""

    session_id = text()
    version = serializers.IntegerField()
    state = open_object()
    memories = Memory(many=True, help_text="Empty: no memories are kept yet.")
    recent_turns = Turn(many=True, help_text="Newest first.")
    drift_warning = serializers.BooleanField()
    average_relevance = serializers.FloatField()
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
    has_more = serializers.BooleanField()
    turns = Turn(many=True)
    traces = Trace(many=True, required=False)
