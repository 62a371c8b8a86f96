"""Questions about schemas and migrations, always asked within one project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from apps.schemas.errors import MigrationNotFound, SchemaNotFound

if TYPE_CHECKING:
    from apps.schemas.models import AgentSchema, SchemaMigration

# Of one agent: all are read at once.
MOST_SCHEMAS = 100
MOST_MIGRATIONS = 200


class SchemaQuerySet(models.QuerySet["AgentSchema"]):
    def of_agent(self, project_id: str, agent_id: str) -> SchemaQuerySet:
        """The agent's, in the order in which they were declared."""
        return self.filter(project_id=project_id, agent_id=agent_id).order_by("id")

    def one(self, id: str) -> AgentSchema:
        """Raises: SchemaNotFound."""
        found = self.filter(id=id).first()
        if found is None:
            raise SchemaNotFound(param="schema_id")
        return found


class MigrationQuerySet(models.QuerySet["SchemaMigration"]):
    def of_agent(self, project_id: str, agent_id: str) -> MigrationQuerySet:
        """The agent's, in the order in which they were declared."""
        return self.filter(project_id=project_id, agent_id=agent_id).order_by("id")

    def one(self, id: str) -> SchemaMigration:
        """Raises: MigrationNotFound."""
        found = self.filter(id=id).first()
        if found is None:
            raise MigrationNotFound(param="migration_id")
        return found
