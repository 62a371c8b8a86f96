"""Withdraw what was declared and never used."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.schemas.covered import MIGRATION, SCHEMA
from apps.schemas.errors import SchemaUsed
from apps.schemas.hooks import is_written
from apps.schemas.models import AgentSchema, SchemaMigration
from apps.schemas.operations.declaring import forget, locked, record


@transaction.atomic
def withdraw_schema(*, act: Act, reference: str, schema_id: str) -> AgentSchema:
    """Take back a schema that no state is of, and no migration leads to or from.

    Raises: AgentNotFound, SchemaNotFound, SchemaUsed.
    """
    agent = locked(act, reference)
    schema = AgentSchema.objects.of_agent(act.project_id, agent.id).one(schema_id)
    version = schema.version
    migrations = SchemaMigration.objects.of_agent(act.project_id, agent.id)
    if migrations.filter(Q(from_version=version) | Q(to_version=version)).exists():
        raise SchemaUsed("Migrations lead to it or from it: withdraw these first.")
    if schema.used_at is not None or is_written(act.project_id, agent.id, version):
        raise SchemaUsed
    removed = SCHEMA.removed(schema).details()
    if not AgentSchema.objects.filter(id=schema.id, used_at=None).delete()[0]:
        raise SchemaUsed
    record(Action.SCHEMA_WITHDRAWN, act, schema, removed)
    forget(agent.id)
    return schema


@transaction.atomic
def withdraw_migration(
    *, act: Act, reference: str, migration_id: str
) -> SchemaMigration:
    """Take back a migration by which nothing was stored.

    Raises: AgentNotFound, MigrationNotFound, SchemaUsed.
    """
    agent = locked(act, reference)
    mine = SchemaMigration.objects.of_agent(act.project_id, agent.id)
    migration = mine.one(migration_id)
    removed = MIGRATION.removed(migration).details()
    if not SchemaMigration.objects.filter(id=migration.id, used_at=None).delete()[0]:
        raise SchemaUsed
    record(Action.MIGRATION_WITHDRAWN, act, migration, removed)
    forget(agent.id)
    return migration
