"""JSON Patches as a field of a body, or as the whole body."""

from typing import Any

from drf_spectacular.utils import extend_schema_field

from apps.core import json
from apps.core.http.input.fields import ListField

_POINTER = {"type": "string", "description": "A JSON pointer (RFC 6901)."}
PATCH_SCHEMA: dict[str, Any] = {
    "type": "array",
    "maxItems": json.MOST_OPERATIONS,
    "description": "A JSON Patch (RFC 6902).",
    "items": {
        "type": "object",
        "required": ["op", "path"],
        "additionalProperties": False,
        "properties": {
            "op": {
                "type": "string",
                "enum": ["add", "remove", "replace", "move", "copy", "test"],
            },
            "path": _POINTER,
            "from": _POINTER | {"description": "Of move and copy."},
            "value": {"description": "Of add, replace and test."},
        },
    },
}


@extend_schema_field(PATCH_SCHEMA)
class OperationsField(ListField):
    """The operations of a JSON Patch, read."""

    def to_internal_value(self, data: Any) -> list[json.Operation]:
        given = super().to_internal_value(data)
        return json.operations_of(given, at=f"/{self.field_name}")
