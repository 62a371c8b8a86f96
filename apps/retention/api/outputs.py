"""What the API of retention answers."""

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.retention.words import HoldKind, State, Step
from apps.timeline.api.outputs.common import (
    ListEnvelope,
    Output,
    maybe_number,
    maybe_text,
    text,
)


@extend_schema_serializer(component_name="RetentionPolicy")
class PolicyOutput(Output):
    """A policy, and whether the sweep runs it."""

    object = text()
    id = text()
    agent_id = maybe_text("Whose sessions it is about; null: the project's.")
    thin_days = maybe_number()
    archive_days = maybe_number()
    empty_days = maybe_number()
    prune_days = maybe_number()
    remove_days = maybe_number()
    ended_days = maybe_number()
    keep_last = serializers.IntegerField()
    enabled = serializers.BooleanField()
    preview_id = maybe_text("The preview that it was enabled with.")
    created_at = serializers.DateTimeField()
    created_by = text()
    enabled_at = serializers.DateTimeField(allow_null=True)
    disabled_at = serializers.DateTimeField(allow_null=True)
    swept_at = serializers.DateTimeField(
        allow_null=True, help_text="When a sweep was through with it last."
    )


@extend_schema_serializer(component_name="RetentionPolicyList")
class PolicyListOutput(ListEnvelope):
    """A page of policies, the newest first."""

    data = PolicyOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="RetentionCount")
class CountOutput(Output):
    """What one step takes."""

    step = serializers.ChoiceField(choices=Step.choices)
    sessions = serializers.IntegerField()
    documents = serializers.IntegerField(
        help_text="Documents of keys: agents' data, memories."
    )
    versions = serializers.IntegerField()
    turns = serializers.IntegerField()
    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()


@extend_schema_serializer(component_name="RetentionPinned")
class PinnedOutput(Output):
    """Versions that are old enough and stay."""

    why = text()
    versions = serializers.IntegerField()


class CountsOutput(Output):
    """What previews and removals have in common."""

    object = text()
    id = text()
    policy_id = text()
    state = serializers.ChoiceField(choices=State.choices)
    sessions_seen = serializers.IntegerField(
        help_text="How many sessions it has looked at, each once for each step."
    )
    complete = serializers.BooleanField(
        help_text="Whether it has looked at all sessions that the policy is about."
    )
    counts = CountOutput(many=True)
    pinned = PinnedOutput(many=True)
    held_sessions = serializers.IntegerField(
        help_text="Sessions that stay because of a legal hold."
    )
    documents_seen = serializers.IntegerField(
        help_text="How many documents of keys it has looked at, likewise."
    )
    held_documents = serializers.IntegerField(
        help_text="Documents that stay because of a legal hold."
    )
    error = maybe_text("Why it failed, if it did.")
    started_at = serializers.DateTimeField(
        help_text="The moment that days are counted back from."
    )
    ended_at = serializers.DateTimeField(allow_null=True)


@extend_schema_serializer(component_name="RetentionPreview")
class PreviewOutput(CountsOutput):
    """What a policy would take, counted; nothing has gone."""

    usable_until = serializers.DateTimeField(
        help_text="Until then the policy can be enabled with it."
    )


@extend_schema_serializer(component_name="RetentionPreviewList")
class PreviewListOutput(ListEnvelope):
    """A page of previews, the newest first."""

    data = PreviewOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="RetentionRemoval")
class RemovalOutput(CountsOutput):
    """A run of a policy, and what it has taken."""


@extend_schema_serializer(component_name="RetentionRemovalList")
class RemovalListOutput(ListEnvelope):
    """A page of removals, the newest first."""

    data = RemovalOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="LegalHold")
class HoldOutput(Output):
    """What must stay, why, and until when."""

    object = text()
    id = text()
    kind = serializers.ChoiceField(choices=HoldKind.choices)
    value = maybe_text("Our id of the session or agent, your name of the person.")
    reason = text()
    standing = serializers.BooleanField(help_text="Whether it counts now.")
    until = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    set_by = text()
    ended_at = serializers.DateTimeField(allow_null=True)
    ended_by = maybe_text()
    end_reason = maybe_text()


@extend_schema_serializer(component_name="LegalHoldList")
class HoldListOutput(ListEnvelope):
    """A page of legal holds, the newest first."""

    data = HoldOutput(many=True)  # type: ignore[assignment]
