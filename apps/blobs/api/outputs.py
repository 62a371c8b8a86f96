"""What the API of blobs answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

Shown = dict[str, Any]


@extend_schema_serializer(component_name="MissingBlobs")
class MissingOutput(serializers.Serializer[Shown]):
    """Which blobs are to be uploaded."""

    object = serializers.CharField(help_text="missing_blobs")
    missing = serializers.ListField(
        child=serializers.CharField(),
        help_text="Those that are to be uploaded; the others stay for a day at least.",
    )


@extend_schema_serializer(component_name="Blob")
class BlobOutput(serializers.Serializer[Shown]):
    """Bytes that are kept."""

    object = serializers.CharField(help_text="blob")
    sha256 = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    kept_until = serializers.DateTimeField(
        help_text="So long it stays without a version that names it."
    )
