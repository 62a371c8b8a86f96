"""Sessions and their states, as answered."""

from __future__ import annotations

from rest_framework import serializers

from apps.timeline.api.outputs.common import (
    LastRollback,
    ListEnvelope,
    Output,
    Spent,
    maybe_number,
    maybe_text,
    open_object,
    text,
)
from apps.timeline.words import Hold, Outcome, Status


class Session(Output):
    """A session with the state of its head."""

    object = text()
    id = text()
    agent_id = text("Your name of the agent.")
    user_id = maybe_text()
    external_id = maybe_text()
    title = maybe_text()
    status = serializers.ChoiceField(choices=Status.choices)
    version = serializers.IntegerField(help_text="The number of the head.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    metadata = open_object()
    state = open_object("The state of that version.")
    memory_count = serializers.IntegerField()
    turn_count = serializers.IntegerField()
    rollback_count = serializers.IntegerField(
        help_text="Taking a rollback back is none of its own."
    )
    review = serializers.ChoiceField(
        choices=Outcome.choices,
        allow_null=True,
        help_text="What the newest review says; null: nobody has reviewed it.",
    )
    scores = serializers.DictField(
        child=serializers.FloatField(), help_text="The newest score of each name."
    )
    ttl_expires_at = serializers.DateTimeField(allow_null=True)
    forked_from = maybe_text()
    forked_version = maybe_number()
    last_rollback = LastRollback(
        allow_null=True, required=False, help_text="When one session is read."
    )
    spent = Spent(
        allow_null=True,
        required=False,
        help_text="When one session is read: what its turns said they used.",
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
    title = maybe_text()
    metadata = open_object()
    ttl_expires_at = serializers.DateTimeField(allow_null=True)


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


class ShownState(State):
    """The state of the head, or what it is under another schema."""

    schema_version = serializers.CharField(
        required=False, help_text="With `schema`: the one that was asked for."
    )
    migrated_from = serializers.CharField(
        required=False,
        allow_null=True,
        help_text="With `schema`: the one that the head is of, if it is another.",
    )


class WrittenState(State):
    """The state that a write made; without it where that was preferred."""

    state = open_object("Not with `Prefer: return=minimal`.", required=False)
    data = open_object("The state once more, or not either.", required=False)


class StateWrite(WrittenState):
    """The version that a write made; with 201 the version 0 of a fork."""

    forked_from = serializers.CharField(
        required=False, help_text="With 201 alone: the session that was written to."
    )
    forked_version = serializers.IntegerField(
        required=False,
        help_text="With 201 alone: the version that the write was built on.",
    )


class Rollback(WrittenState):
    """The version that a rollback made, and what it restored."""

    success = serializers.BooleanField()
    verified = serializers.BooleanField(
        help_text="What is stored of the restored version was recomputed before "
        "anything was written, and is what it committed to; with "
        "`Idempotent-Replayed`, whether that is so now. One that is broken is not "
        "restored: `body_not_verified`."
    )
    effects_crossed = serializers.IntegerField(
        help_text="How many effects it went behind, which are owed for now."
    )
    new_version = serializers.IntegerField()
    restored_from_version = serializers.IntegerField()
    rolled_back_from_version = serializers.IntegerField()
    reason = maybe_text()
    reason_code = maybe_text()
