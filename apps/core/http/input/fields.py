"""Input that does not guess: a text is a text, a number a number.

DRF's own fields turn 5 into "5" and "3" into 3, and check JSON by writing it out;
here the strict parser has already read the value, and it is taken as it is.
"""

import sys
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from orjson import Fragment
from rest_framework import serializers
from rest_framework.utils.serializer_helpers import BindingDict


class InputSerializer(serializers.Serializer[Any]):
    """A body that is read once; all of its kind share their fields.

    `refused` are names that callers may know from elsewhere, and what to do instead;
    `ApiView.read` refuses them as it refuses what nobody knows. `synonyms` are other
    names for fields: what they say must be the same.

    DRF copies the fields for every serializer, so that a view may change them, and
    asks each about every body: 0.4 of the 1.0 ms that reading a merge took. Ours are
    never changed, keep nothing of what they read, and most bodies name 2 of 20.
    """

    refused: ClassVar[Mapping[str, str]] = {}
    synonyms: ClassVar[Mapping[str, str]] = {}

    @cached_property
    def fields(self) -> BindingDict:
        return _fields_of(type(self))

    @property
    def _writable_fields(self) -> list[serializers.Field[Any, Any, Any, Any]]:
        sent = getattr(self, "initial_data", self.fields)
        return [
            field
            for name, field in self.fields.items()
            if name in sent or field.required
        ]


@cache
def _fields_of(kind: type[InputSerializer]) -> BindingDict:
    # Bound to a serializer without data: bound to the first, they would keep its body.
    blank = kind()
    fields = BindingDict(blank)
    for name, field in blank.get_fields().items():
        fields[name] = field
    return fields


class TextField(serializers.CharField):
    """A JSON string, kept exactly; the operations bound it."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("required", False)
        options.setdefault("allow_null", True)
        options.setdefault("allow_blank", True)
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError("This must be a text.")
        return data


class WholeNumberField(serializers.IntegerField):
    """A JSON integer; neither "3" nor 3.0 nor true is one."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("required", False)
        options.setdefault("allow_null", True)
        options.setdefault("max_value", 2**53)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            raise serializers.ValidationError("This must be a whole number.")
        return data


class NumberField(serializers.FloatField):
    """A JSON number that a double can hold; neither "0.5" nor true is one."""

    LARGEST = sys.float_info.max

    def __init__(self, **options: Any) -> None:
        options.setdefault("required", False)
        options.setdefault("allow_null", True)
        super().__init__(
            **{"min_value": -self.LARGEST, "max_value": self.LARGEST, **options}
        )

    def to_internal_value(self, data: Any) -> float:
        if type(data) not in (int, float):
            raise serializers.ValidationError("This must be a number.")
        try:
            return float(data)
        except OverflowError:
            message = "This must be a number that a double can hold."
            raise serializers.ValidationError(message) from None


class FlagField(serializers.BooleanField):
    """true or false, nothing that resembles them; null is as if it were not sent."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("required", False)
        options.setdefault("allow_null", True)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> bool:
        if type(data) is not bool:
            raise serializers.ValidationError("This must be true or false.")
        return data


@extend_schema_field(OpenApiTypes.OBJECT)
class ObjectField(serializers.Field[Any, Any, Any, Any]):
    """A JSON object as the parser read it; answered from its stored bytes.

    `holds` says what each member takes, where they are not the caller's own affair.
    """

    holds: type[serializers.Serializer[Any]] | None = None

    def __init__(self, **options: Any) -> None:
        options.setdefault("required", False)
        options.setdefault("allow_null", True)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("This must be an object.")
        return data

    def to_representation(self, value: Any) -> Any:
        return (
            Fragment(bytes(value)) if isinstance(value, bytes | memoryview) else value
        )


class OpaquePart(InputSerializer):
    """Bytes that are never read."""

    media_type = TextField(required=True, allow_null=False)
    base64 = TextField(required=True, allow_null=False)


@extend_schema_field(
    {
        "type": "object",
        "description": "Bytes by name, which are kept as they are and never read.",
        "additionalProperties": {
            "type": "object",
            "properties": {
                "media_type": {"type": "string"},
                "base64": {"type": "string"},
            },
            "required": ["media_type", "base64"],
        },
    }
)
class OpaqueField(ObjectField):
    """Opaque parts of a version: each has a media type, and its bytes as base64."""

    holds = OpaquePart


@extend_schema_field({"type": "array", "items": {}})
class ListField(serializers.Field[Any, Any, Any, Any]):
    """A JSON list as the parser read it; `holds` says what each item takes."""

    holds: type[serializers.Serializer[Any]] | None = None

    def __init__(self, **options: Any) -> None:
        options.setdefault("required", False)
        options.setdefault("allow_null", True)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            raise serializers.ValidationError("This must be a list.")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string"},
            {"type": "object", "additionalProperties": {}},
        ]
    }
)
class SaidField(serializers.Field[Any, Any, Any, Any]):
    """One side of a turn: a text, or an object that is kept whole."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, str):
            return {"type": "text", "content": data}
        if not isinstance(data, dict):
            raise serializers.ValidationError("This must be a text or an object.")
        return data

    def to_representation(self, value: Any) -> Any:
        return value
