"""What the API of erasures takes."""

from drf_spectacular.utils import extend_schema_serializer

from apps.core.http.input.fields import InputSerializer, TextField
from apps.erasures.operations import LONGEST_REASON
from apps.erasures.operations.previews import LONGEST_USER

ID_LENGTH = 31


@extend_schema_serializer(component_name="PreviewErasure")
class PreviewInput(InputSerializer):
    """Whose data would go: one of both."""

    user_id = TextField(
        max_length=LONGEST_USER, help_text="The person, as sessions name them."
    )
    session_id = TextField(max_length=ID_LENGTH, help_text="One session.")


@extend_schema_serializer(component_name="BeginErasure")
class EraseInput(InputSerializer):
    """What was seen before, and why it goes."""

    preview_id = TextField(
        required=True,
        allow_null=False,
        max_length=ID_LENGTH,
        help_text="Of a preview that is not older than a day.",
    )
    reason = TextField(required=True, allow_null=False, max_length=LONGEST_REASON)
