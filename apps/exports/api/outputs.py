"""What the API of exports answers."""

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.data.api.audit_outputs import VerificationOutput
from apps.exports.words import AuditFormat, Kind, State, Waits
from apps.timeline.api.outputs.common import ListEnvelope, Output, maybe_text, text
from apps.timeline.words import Outcome


@extend_schema_serializer(component_name="ExportLeftOut")
class LeftOutOutput(Output):
    """What is not in it, for one reason."""

    reason = text()
    count = serializers.IntegerField()


@extend_schema_serializer(component_name="ExportedChain")
class ExportedChainOutput(VerificationOutput):
    """What was recomputed of one chain of records."""

    agent_id = text("The agent's, or the project's.")


@extend_schema_serializer(component_name="Export")
class ExportOutput(Output):
    """An export, how far it is, and what its file has."""

    object = text()
    id = text()
    kind = serializers.ChoiceField(choices=Kind.choices)
    agent = maybe_text()
    release = maybe_text()
    model = maybe_text()
    label = maybe_text()  # type: ignore[assignment]
    outcome = serializers.ChoiceField(choices=Outcome.choices, allow_null=True)
    rolled_back = serializers.BooleanField(allow_null=True)
    most_tokens = serializers.IntegerField(allow_null=True)
    most_cost = serializers.FloatField(allow_null=True)
    start = maybe_text()
    end = maybe_text()
    format = serializers.ChoiceField(choices=AuditFormat.choices, allow_null=True)
    session_id = maybe_text()
    user_id = maybe_text()
    unmasked = serializers.BooleanField()
    state = serializers.ChoiceField(choices=State.choices)
    waits_for = serializers.ChoiceField(
        choices=Waits.choices, allow_null=True, help_text="What keeps it from going on."
    )
    rows = serializers.IntegerField(help_text="Lines and files so far.")
    bytes = serializers.IntegerField()
    sha256 = maybe_text("Of the whole file, once it is ready.")
    left_out = LeftOutOutput(many=True)
    verification = ExportedChainOutput(
        many=True, help_text="Of an audit: what was recomputed of each chain."
    )
    error = maybe_text("Why it failed, if it did.")
    asked_by = text()
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(
        allow_null=True, help_text="Until then the file is kept."
    )


@extend_schema_serializer(component_name="ExportList")
class ExportListOutput(ListEnvelope):
    """A page of exports, the newest first."""

    data = ExportOutput(many=True)  # type: ignore[assignment]
