"""What the API of erasures answers."""

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.erasures.words import Kind, State, Waits
from apps.timeline.api.outputs.common import ListEnvelope, Output, maybe_text, text


@extend_schema_serializer(component_name="ErasedRows")
class RowsOutput(Output):
    """How many rows of one kind."""

    what = text()
    rows = serializers.IntegerField()


@extend_schema_serializer(component_name="ErasurePreview")
class PreviewOutput(Output):
    """What an erasure would take, counted; nothing has gone."""

    object = text()
    id = text()
    user_id = maybe_text("The person; null once they are erased, or a day is over.")
    session_id = maybe_text()
    created_at = serializers.DateTimeField()
    usable_until = serializers.DateTimeField()
    sessions = serializers.IntegerField(help_text="Forks of the sessions among them.")
    has_more_sessions = serializers.BooleanField()
    documents = serializers.IntegerField(
        help_text="Of memories: of the person, and of the sessions."
    )
    complete = serializers.BooleanField(
        help_text="Whether all of them were looked into: rows and bytes are those of "
        "the first hundred otherwise."
    )
    rows = RowsOutput(many=True)
    bytes = serializers.IntegerField()
    legal_hold = maybe_text("A legal hold that keeps it from being erased.")


@extend_schema_serializer(component_name="ListedErasure")
class ListedErasureOutput(Output):
    """An erasure, how far it is, and what it has taken."""

    object = text()
    id = text()
    preview_id = text()
    kind = serializers.ChoiceField(choices=Kind.choices)
    state = serializers.ChoiceField(choices=State.choices)
    waits_for = serializers.ChoiceField(
        choices=Waits.choices,
        allow_null=True,
        help_text="What keeps it from going on: a legal hold that was set meanwhile, "
        "or a history that does not hold, of which nothing goes.",
    )
    reason = text()
    asked_by = text()
    data_points_deleted = serializers.IntegerField()
    rows = RowsOutput(many=True)
    started_at = serializers.DateTimeField()
    deleted_at = serializers.DateTimeField(allow_null=True)


@extend_schema_serializer(component_name="Erasure")
class ErasureOutput(ListedErasureOutput):
    """An erasure with its progress and its certificate."""

    histories = serializers.IntegerField(
        allow_null=True,
        help_text="Sessions and documents of memories that go; null before the first "
        "look.",
    )
    histories_gone = serializers.IntegerField(allow_null=True)
    certificate = maybe_text(
        "The signed certificate, as the journal has it; keep it as it is."
    )


@extend_schema_serializer(component_name="ErasureList")
class ErasureListOutput(ListEnvelope):
    """A page of erasures, the newest first."""

    data = ListedErasureOutput(many=True)  # type: ignore[assignment]
