"""How errors stand in the OpenAPI document.

The body is the one that `problems` writes; every view of the API lists the statuses
it answers with `errors(400, 401, 404)`.
"""

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="One key is one act: the same request again gets the same answer.",
)


class ErrorBodySerializer(serializers.Serializer[dict[str, object]]):
    """What went wrong. Facts of the single error stand beside these keys."""

    code = serializers.CharField(help_text="Stable: decide by this.")
    message = serializers.CharField(help_text="A sentence for people.")
    type = serializers.CharField(help_text="The family that the code belongs to.")
    param = serializers.CharField(
        allow_null=True,
        help_text="The field, query parameter, header or JSON pointer at fault.",
    )
    request_id = serializers.CharField(help_text="Finds the request in the log.")
    retry_after = serializers.IntegerField(
        required=False, help_text="Seconds, where another try may succeed."
    )


class ErrorSerializer(serializers.Serializer[dict[str, object]]):
    """The one body of all errors."""

    error = ErrorBodySerializer()
    detail = serializers.CharField(help_text="The message once more.")
    code = serializers.CharField(required=False, help_text="As above, on some paths.")
    message = serializers.CharField(required=False)
    param = serializers.CharField(required=False, allow_null=True)


def errors(*statuses: int) -> dict[int, type[ErrorSerializer]]:
    """Return what `extend_schema(responses=...)` takes for these error statuses."""
    return dict.fromkeys(statuses, ErrorSerializer)
