"""What the API answers about shared documents."""

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.timeline.api.outputs.common import ListEnvelope, Output, text
from apps.timeline.api.outputs.sessions import State, WrittenState


@extend_schema_serializer(component_name="SharedHolder")
class HolderOutput(Output):
    """Who holds a document now."""

    holder = text("What the holder calls itself.")
    fence = serializers.IntegerField()
    until = serializers.DateTimeField(help_text="By the server's clock.")
    seconds_left = serializers.FloatField()


@extend_schema_serializer(component_name="SharedDocument")
class SharedOutput(State):
    """The newest version of a shared document, and who holds it."""

    object = text()
    name = text()
    lease = HolderOutput(allow_null=True, help_text="Null while nobody holds it.")


@extend_schema_serializer(component_name="SharedWrite")
class SharedWriteOutput(WrittenState):
    """The version that a write of a shared document made."""

    object = text()
    name = text()


@extend_schema_serializer(component_name="SharedName")
class SharedNameOutput(Output):
    """A shared document in a list."""

    object = text()
    name = text()
    session_id = text("Names it in events: no route of sessions takes it.")
    version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


@extend_schema_serializer(component_name="SharedList")
class SharedListOutput(ListEnvelope):
    """A page of shared documents, by name."""

    data = SharedNameOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="Lease")
class LeaseOutput(HolderOutput):
    """A lease that was taken, renewed or given back."""

    object = text()
    name = text()
