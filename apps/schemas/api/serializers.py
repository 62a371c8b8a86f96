"""What the API of schemas takes and answers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import (
    FlagField,
    InputSerializer,
    ListField,
    ObjectField,
    TextField,
)
from apps.schemas.operations import NewMigration, NewSchema
from apps.schemas.steps.reading import Op

OF = "The version that states of this schema name: `schema_version`."


STEP = {
    "type": "object",
    "properties": {
        "op": {"type": "string", "enum": list(Op)},
        "at": {"type": "string", "description": "A pointer into the state or item."},
        "to": {"type": "string", "description": "A key, a pointer or a type."},
        "value": {},
        "values": {
            "type": "array",
            "items": {"type": "object", "properties": {"from": {}, "to": {}}},
        },
        "else": {},
        "steps": {
            "type": "array",
            "items": {"type": "object", "properties": {"op": {"type": "string"}}},
        },
    },
    "required": ["op", "at"],
}


@extend_schema_field({"type": "array", "items": STEP})
class StepsField(ListField):
    """Steps of a migration."""


@extend_schema_serializer(component_name="DeclareSchema")
class SchemaInput(InputSerializer):
    """What the agent's states of one version are."""

    version = TextField(
        required=True, allow_null=False, allow_blank=False, help_text=OF
    )
    schema = ObjectField(
        required=True,
        allow_null=False,
        help_text="A JSON Schema; it refers to nothing outside itself.",
    )
    strict = FlagField(
        help_text="From now on the agent's writes name a declared version, and none "
        "that is older than the head's; until a schema is declared that is not strict."
    )

    def said(self) -> NewSchema:
        """Return the schema."""
        given = self.validated_data
        return NewSchema(
            version=given["version"],
            schema=given["schema"],
            strict=bool(given.get("strict")),
        )


@extend_schema_serializer(component_name="DeclareMigration")
class MigrationInput(InputSerializer):
    """How a state of one declared version becomes one of another."""

    to = TextField(required=True, allow_null=False, allow_blank=False)
    steps = StepsField(
        required=True,
        allow_null=False,
        help_text="One after another: rename, move, remove, default, map, convert, "
        "and each for the items of a list.",
    )

    def get_fields(self) -> dict[str, Any]:
        """Add the field that Python has no name for."""
        before = TextField(required=True, allow_null=False, allow_blank=False)
        return {"from": before, **super().get_fields()}

    def said(self) -> NewMigration:
        """Return the migration."""
        given = self.validated_data
        return NewMigration(
            from_version=given["from"], to_version=given["to"], steps=given["steps"]
        )


class _Declared(serializers.Serializer[Any]):
    """What schemas and migrations have in common."""

    object = serializers.CharField()
    id = serializers.CharField()
    agent_id = serializers.CharField(help_text="Our id of the agent.")
    used_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When a state was first migrated by it: from then on it stays.",
    )
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField()


@extend_schema_serializer(component_name="AgentSchema")
class SchemaOutput(_Declared):
    """What the agent's states of one version are."""

    version = serializers.CharField(help_text=OF)
    schema = ObjectField(required=True, allow_null=False)
    strict = serializers.BooleanField()


@extend_schema_serializer(component_name="SchemaMigration")
class MigrationOutput(_Declared):
    """How a state of one version becomes one of another."""

    to = serializers.CharField()
    steps = StepsField(required=True, allow_null=False)

    def get_fields(self) -> dict[str, Any]:
        """Add the field that Python has no name for."""
        return {**super().get_fields(), "from": serializers.CharField()}


class _List(serializers.Serializer[Any]):
    object = serializers.CharField()
    has_more = serializers.BooleanField()
    first_id = serializers.CharField(allow_null=True)
    last_id = serializers.CharField(allow_null=True)


@extend_schema_serializer(component_name="AgentSchemaList")
class SchemaListOutput(_List):
    """All schemas of an agent, in the order in which they were declared."""

    data = SchemaOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="SchemaMigrationList")
class MigrationListOutput(_List):
    """All migrations of an agent, in the order in which they were declared."""

    data = MigrationOutput(many=True)  # type: ignore[assignment]
