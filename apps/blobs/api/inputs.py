"""What the API of blobs takes."""

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.blobs.digests import require_digests
from apps.blobs.words import MOST_ASKED
from apps.core.http.input.fields import InputSerializer, ListField


@extend_schema_field({"type": "array", "items": {"type": "string"}})
class DigestsField(ListField):
    """SHA-256 digests in hex."""


@extend_schema_serializer(component_name="AskMissingBlobs")
class MissingInput(InputSerializer):
    """Which blobs are meant."""

    digests = DigestsField(
        required=True,
        allow_null=False,
        help_text=f"SHA-256 digests in hex, at most {MOST_ASKED:,}.",
    )

    def validate_digests(self, value: list[Any]) -> list[str]:
        if len(value) > MOST_ASKED:
            raise serializers.ValidationError(
                f"This takes at most {MOST_ASKED:,} digests."
            )
        return require_digests(value, "digests")
