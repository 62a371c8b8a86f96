"""What an agent declares of its states: schemas by version, migrations between them.

Both are made and, as long as nothing was done with them, withdrawn; never edited. What
was stored under a version means for ever what it meant then.
"""

from __future__ import annotations

from typing import Any

from django.db import models

from apps.core import json
from apps.schemas.querysets import MigrationQuerySet, SchemaQuerySet
from apps.schemas.steps import Step, read_steps


class AgentSchema(models.Model):
    """What states of one version are; of a strict one, that writes name their version.

    Whether writes are held to versions says the schema that was declared last.
    """

    id = models.CharField(max_length=32, primary_key=True, db_collation="C")
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    agent = models.ForeignKey("agents.Agent", on_delete=models.PROTECT, db_index=False)
    version = models.TextField(db_collation="C")
    # A JSON Schema; bytes are what was said.
    body = models.BinaryField()
    strict = models.BooleanField(default=False)
    # When a state was first migrated to it or from it.
    used_at = models.DateTimeField(null=True)
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = SchemaQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "version"], name="schemas_schema_one_per_version"
            )
        ]
        indexes = [
            models.Index(fields=["project", "agent", "id"], name="schemas_of_agent"),
        ]

    def __str__(self) -> str:
        return self.version

    @property
    def text(self) -> str:
        """The JSON Schema as text, for people."""
        return bytes(self.body).decode()

    @property
    def schema(self) -> Any:
        """The JSON Schema as a value."""
        return json.parse_written(bytes(self.body))


class SchemaMigration(models.Model):
    """How a state of one version becomes one of another, as steps that are data."""

    id = models.CharField(max_length=32, primary_key=True, db_collation="C")
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    agent = models.ForeignKey("agents.Agent", on_delete=models.PROTECT, db_index=False)
    from_version = models.TextField(db_collation="C")
    to_version = models.TextField(db_collation="C")
    steps = models.BinaryField()
    # When it was first used for what was stored.
    used_at = models.DateTimeField(null=True)
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = MigrationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "from_version", "to_version"],
                name="schemas_migration_one_per_pair",
            )
        ]
        indexes = [
            models.Index(
                fields=["project", "agent", "id"], name="schemas_migration_of_agent"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.from_version} → {self.to_version}"

    @property
    def text(self) -> str:
        """The steps as text, for people."""
        return bytes(self.steps).decode()

    @property
    def said(self) -> Any:
        """The steps as they were declared."""
        return json.parse_written(bytes(self.steps))

    def read(self) -> tuple[Step, ...]:
        """Return the steps, ready to be done."""
        return read_steps(self.said)
