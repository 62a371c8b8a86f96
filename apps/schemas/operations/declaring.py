"""Declare what an agent's states of one version are, and how one becomes another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from apps.agents import remembered
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import json
from apps.core.ids import new_id
from apps.core.json import Json
from apps.core.json.pointers import shortened
from apps.core.json.schemas import NotASchema, Shape
from apps.schemas import written
from apps.schemas.covered import MIGRATION, SCHEMA
from apps.schemas.errors import (
    SchemaExists,
    TooManySchemas,
    UnacceptableMigration,
    UnacceptableSchema,
)
from apps.schemas.graph import require_one_way
from apps.schemas.models import AgentSchema, SchemaMigration
from apps.schemas.querysets import MOST_MIGRATIONS, MOST_SCHEMAS
from apps.schemas.steps import read_steps

MAX_VERSION = 100
MAX_BYTES = 256 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class NewSchema:
    """A schema as an administrator says it."""

    version: str
    schema: dict[str, Json]
    strict: bool = False

    def require(self) -> bytes:
        """Return the schema as it is kept.

        Raises: UnacceptableSchema, with the place.
        """
        require_version(self.version, "version")
        body = json.dumps(self.schema)
        if len(body) > MAX_BYTES:
            raise UnacceptableSchema(
                f"A schema takes at most {MAX_BYTES >> 10} KiB.", param="/schema"
            )
        try:
            Shape(self.schema)
        except NotASchema as refused:
            raise UnacceptableSchema(
                refused.message, param=shortened(f"/schema{refused.at}")
            ) from None
        return body


@dataclass(frozen=True, kw_only=True, slots=True)
class NewMigration:
    """A migration as an administrator says it."""

    from_version: str
    to_version: str
    steps: Any

    def require(self) -> bytes:
        """Return the steps as they are kept.

        Raises: UnacceptableMigration, with the place.
        """
        read_steps(self.steps)
        kept = json.dumps(self.steps)
        if len(kept) > MAX_BYTES:
            raise UnacceptableMigration(
                f"The steps take at most {MAX_BYTES >> 10} KiB.", param="/steps"
            )
        return kept


def require_version(version: str, name: str) -> None:
    """Raises: UnacceptableSchema for what is no name of a version."""
    if (
        not version.strip()
        or len(version) > MAX_VERSION
        or not version.isprintable()
        or version != version.strip()
    ):
        raise UnacceptableSchema(
            f"A version is 1 to {MAX_VERSION} printable characters, as in 2.0.0.",
            param=name,
        )


@transaction.atomic
def declare_schema(*, act: Act, reference: str, said: NewSchema) -> AgentSchema:
    """Say what the agent's states of one version are; it is the newest from now on.

    Raises: AgentNotFound, AgentDeleted, UnacceptableSchema, SchemaExists,
    TooManySchemas.
    """
    body = said.require()
    agent = locked(act, reference)
    agent.require_kept()
    schemas = AgentSchema.objects.of_agent(act.project_id, agent.id)
    if schemas.filter(version=said.version).exists():
        raise SchemaExists(param="version")
    if schemas.count() >= MOST_SCHEMAS:
        raise TooManySchemas(most=MOST_SCHEMAS)
    schema = AgentSchema(
        id=new_id("schm", now=act.now),
        project=act.project,
        agent=agent,
        version=said.version,
        body=body,
        strict=said.strict,
        **act.by,
    )
    schema.save(force_insert=True)
    if not agent.has_schemas:
        Agent.objects.filter(id=agent.id).update(has_schemas=True)
    left = SCHEMA.left(schema, act.project.index_key).details()
    record(Action.SCHEMA_DECLARED, act, schema, left)
    forget(agent.id)
    return schema


@transaction.atomic
def declare_migration(
    *, act: Act, reference: str, said: NewMigration
) -> SchemaMigration:
    """Say how a state of one declared version becomes one of another.

    Raises: AgentNotFound, AgentDeleted, UnacceptableMigration, TooManySchemas.
    """
    steps = said.require()
    agent = locked(act, reference)
    agent.require_kept()
    schemas = AgentSchema.objects.of_agent(act.project_id, agent.id)
    for name, version in (("from", said.from_version), ("to", said.to_version)):
        if not schemas.filter(version=version).exists():
            raise UnacceptableMigration(
                "This version is not declared.", param=f"/{name}"
            )
    known = list(SchemaMigration.objects.of_agent(act.project_id, agent.id))
    if len(known) >= MOST_MIGRATIONS:
        raise TooManySchemas(most=MOST_MIGRATIONS)
    require_one_way(known, said.from_version, said.to_version)
    migration = SchemaMigration(
        id=new_id("migr", now=act.now),
        project=act.project,
        agent=agent,
        from_version=said.from_version,
        to_version=said.to_version,
        steps=steps,
        **act.by,
    )
    migration.save(force_insert=True)
    left = MIGRATION.left(migration, act.project.index_key).details()
    record(Action.MIGRATION_DECLARED, act, migration, left)
    forget(agent.id)
    return migration


def locked(act: Act, reference: str) -> Agent:
    """Hold the agent's row, so that of two declarations at once one sees the other.

    Raises: AgentNotFound.
    """
    agents = Agent.objects.visible_to(act.scope).select_for_update(no_key=True)
    return agents.one_named(reference)


def forget(agent_id: str) -> None:
    """Have this process look anew, once it is committed."""

    def look_anew() -> None:
        remembered.forget(agent_id)
        written.forget(agent_id)

    transaction.on_commit(look_anew)


def record(
    action: Action,
    act: Act,
    row: AgentSchema | SchemaMigration,
    kept: Mapping[str, Json],
) -> None:
    """Chain what was done to the row."""
    is_schema = isinstance(row, AgentSchema)
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=action,
        resource_type="schema" if is_schema else "migration",
        resource_id=row.id,
        act=act,
        details={"agent_id": row.agent_id, **kept},
    )
