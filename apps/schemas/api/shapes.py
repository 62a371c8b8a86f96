"""Schemas and migrations as answers show them."""

from __future__ import annotations

from typing import Any

from apps.core.time.moments import utc_text
from apps.schemas.models import AgentSchema, SchemaMigration


def schema_object(schema: AgentSchema) -> dict[str, Any]:
    """Return a schema."""
    return {
        "object": "agent_schema",
        "id": schema.id,
        "agent_id": schema.agent_id,
        "version": schema.version,
        "schema": schema.schema,
        "strict": schema.strict,
        **_declared(schema),
    }


def migration_object(migration: SchemaMigration) -> dict[str, Any]:
    """Return a migration."""
    return {
        "object": "schema_migration",
        "id": migration.id,
        "agent_id": migration.agent_id,
        "from": migration.from_version,
        "to": migration.to_version,
        "steps": migration.said,
        **_declared(migration),
    }


def _declared(row: AgentSchema | SchemaMigration) -> dict[str, Any]:
    return {
        "used_at": row.used_at and utc_text(row.used_at),
        "created_at": utc_text(row.created_at),
        "created_by": row.actor_label,
    }
