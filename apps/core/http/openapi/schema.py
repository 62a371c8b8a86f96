"""How errors stand in the OpenAPI document.

The body is the one that `problems` writes; every view of the API lists the statuses
it answers with `errors(400, 401, 404)`.
"""

from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers

# An extension of the schema of a body that takes names beside those that it tells of.
ANY_NAMES = {"x-takes-any-name": True}

KEY_SCHEMA = {
    "type": "string",
    "minLength": 1,
    "maxLength": 255,
    "pattern": r"^[\x21-\x2b\x2d-\x7e]([\x20-\x2b\x2d-\x7e]*[\x21-\x2b\x2d-\x7e])?$",
}
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    KEY_SCHEMA,
    OpenApiParameter.HEADER,
    description="One key is one act: the same request again gets the same answer.",
)


def _of(component: str) -> dict[str, str]:
    """Name what an app above describes."""
    return {"$ref": f"#/components/schemas/{component}"}


@extend_schema_field({"type": "array", "items": _of("MergeConflict")})
class ConflictsField(serializers.JSONField):
    """Conflicts of a merge."""


@extend_schema_field({"oneOf": [_of("MergePreview"), {"type": "null"}]})
class PreviewField(serializers.JSONField):
    """What a merge would do now; null where that is refused."""


@extend_schema_field({"type": "array", "items": _of("CheckedFact")})
class FactsField(serializers.JSONField):
    """Facts, as a check of them found."""


@extend_schema_field({"type": "array", "items": _of("Approval")})
class ApprovalsField(serializers.JSONField):
    """Approvals, as they are now."""


class FaultSerializer(serializers.Serializer[dict[str, object]]):
    """One of several faults of a request."""

    param = serializers.CharField(help_text="The field at fault.")
    message = serializers.CharField()
    nearest = serializers.CharField(
        required=False,
        allow_null=True,
        help_text="Of an unknown name: the known one that was probably meant.",
    )


class RefusingGuardSerializer(serializers.Serializer[dict[str, object]]):
    """A guard that refuses a write, and where it does not pass."""

    guard_id = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.CharField()
    outcome = serializers.CharField(help_text="failed, or undecided.")
    places = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="JSON pointers, the first of them.",
    )
    reason = serializers.CharField(help_text="Why, in one line of words.")


class ErrorBodySerializer(serializers.Serializer[dict[str, object]]):
    """What went wrong; facts of the single error stand beside what is always told."""

    code = serializers.CharField(help_text="Stable: decide by this.")
    message = serializers.CharField(help_text="A sentence for people.")
    type = serializers.CharField(help_text="The family that the code belongs to.")
    param = serializers.CharField(
        allow_null=True,
        help_text="The field, query parameter, header or JSON pointer at fault.",
    )
    request_id = serializers.CharField(help_text="Finds the request in the log.")
    reason = serializers.CharField(
        required=False,
        help_text="Why the key lets nobody in: missing, unknown, revoked or expired.",
    )
    retry_after = serializers.IntegerField(
        required=False, help_text="Seconds, where another try may succeed."
    )
    nearest = serializers.CharField(
        required=False,
        allow_null=True,
        help_text="Of an unknown name: the known one that was probably meant.",
    )
    errors = FaultSerializer(  # type: ignore[assignment]
        many=True, required=False, help_text="All faults, where there are several."
    )
    line = serializers.IntegerField(required=False, help_text="Of malformed JSON.")
    column = serializers.IntegerField(required=False, help_text="Of malformed JSON.")
    position = serializers.IntegerField(
        required=False,
        help_text="The byte at which malformed JSON goes wrong; of a search the "
        "character, counted from 0.",
    )
    suggestion = serializers.CharField(
        required=False,
        allow_null=True,
        help_text="Of a search: what was probably meant at that place.",
    )
    size = serializers.IntegerField(required=False, help_text="Bytes that were sent.")
    limit = serializers.IntegerField(required=False, help_text="Bytes that may be.")
    required = serializers.CharField(  # type: ignore[assignment]
        required=False, help_text="The permission that the key lacks."
    )
    agent_id = serializers.CharField(
        required=False, help_text="The agent that has the name already."
    )
    session_id = serializers.CharField(
        required=False, help_text="The session that has the name already."
    )
    exception_id = serializers.CharField(
        required=False, help_text="The exception that stands for the same already."
    )
    most = serializers.IntegerField(
        required=False, help_text="As many as there may be of what was to be made."
    )
    version = serializers.IntegerField(
        required=False, help_text="The version whose stored body is broken."
    )
    head = serializers.IntegerField(
        required=False, help_text="The number of the session's last version."
    )
    expected_version = serializers.IntegerField(
        required=False, help_text="The version that you built on."
    )
    effect_id = serializers.CharField(
        required=False, help_text="The effect that a key stands for."
    )
    attempt = serializers.IntegerField(
        required=False, allow_null=True, help_text="The newest attempt of an effect."
    )
    status = serializers.CharField(
        required=False, help_text="What an effect, or what is owed for it, has come to."
    )
    effects = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Effects that a rollback would go behind, the first 50.",
    )
    count = serializers.IntegerField(
        required=False,
        help_text="How many effects a rollback, or sessions a plan, would go behind.",
    )
    digest = serializers.CharField(
        required=False, help_text="The SHA-256 of the bytes that arrived."
    )
    digests = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Blobs that are not there, the first 1,000.",
    )
    head_written_by = serializers.CharField(required=False)
    head_written_at = serializers.DateTimeField(required=False)
    changed_paths = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="JSON pointers, at most 50, of what changed since your version.",
    )
    item = serializers.IntegerField(
        required=False, help_text="The item of a batch, counted from 0."
    )
    conflicts = ConflictsField(
        required=False, help_text="Of a merge: all of them, as its preview has them."
    )
    conflict_count = serializers.IntegerField(required=False)
    preview = PreviewField(
        required=False,
        help_text="Of a merge whose head has moved: what it would do now.",
    )
    facts = FactsField(
        required=False, help_text="Of a check of facts: all that were checked."
    )
    approvals = ApprovalsField(
        required=False, help_text="What people are asked anew since it failed."
    )
    pointer = serializers.CharField(
        required=False,
        help_text="The place that cannot be restored by itself, or to which an "
        "operation does not fit.",
    )
    operation = serializers.IntegerField(
        required=False,
        help_text="The operation that does not fit the state, counted from 0.",
    )
    schema = serializers.CharField(
        required=False,
        allow_null=True,
        help_text="The schema that the state is of already, or that no way leads from.",
    )
    declared = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="The schemas that the agent has declared.",
    )
    head_schema = serializers.CharField(
        required=False, help_text="The schema of the head, which is newer."
    )
    migration_id = serializers.CharField(
        required=False, help_text="The migration that failed."
    )
    step = serializers.CharField(
        required=False, help_text="The JSON pointer of the step at which it failed."
    )
    revision = serializers.IntegerField(
        required=False, help_text="The guard's revision, which was not tried yet."
    )
    guards = RefusingGuardSerializer(
        many=True, required=False, help_text="The guards that refuse the write."
    )
    newest_fence = serializers.IntegerField(
        required=False,
        allow_null=True,
        help_text="Of a shared document: the fence handed out last; null: none was.",
    )
    holder = serializers.CharField(
        required=False, help_text="Who holds the lease of a shared document."
    )
    until = serializers.DateTimeField(
        required=False, help_text="How long the lease is held, if it is not renewed."
    )
    seconds_left = serializers.FloatField(
        required=False, help_text="The same, from now on."
    )
    sessions = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="The sessions that stand against it, the first of them.",
    )


class ErrorSerializer(serializers.Serializer[dict[str, object]]):
    """The one body of all errors."""

    error = ErrorBodySerializer()
    detail = serializers.CharField(help_text="The message once more.")
    code = serializers.CharField(required=False, help_text="As above, on some paths.")
    message = serializers.CharField(required=False)
    param = serializers.CharField(required=False, allow_null=True)
    field = serializers.CharField(
        required=False, allow_null=True, help_text="Another name for `param`."
    )
    required_permission = serializers.CharField(required=False)
    retry_after = serializers.IntegerField(required=False)


def errors(*statuses: int) -> dict[int, type[ErrorSerializer]]:
    """Return what `extend_schema(responses=...)` takes for these error statuses."""
    return dict.fromkeys(statuses, ErrorSerializer)
