"""Schemas of an agent's states, and migrations between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Json, Repeatable


class AsyncSchemas(AsyncResource):
    """Declared and withdrawn with an administrator's key, read with any."""

    async def declare(
        self,
        agent: str,
        version: str,
        schema: Mapping[str, Json],
        *,
        strict: bool | None = None,
        idempotency_key: str | None = None,
    ) -> answers.AgentSchema:
        """Say what the agent's states of one version are; it is never changed.

        `strict`: from now on writes name a declared version, none older than the
        head's. Raises: UnacceptableSchema, SchemaExists.
        """
        body = given(version=version, schema=dict(schema), strict=strict)
        read = answers.AgentSchema.of
        return await self._send(
            "POST", ("agents", agent, "schemas"), body, read, idempotency_key
        )

    async def list(self, agent: str) -> answers.Page[answers.AgentSchema]:
        """List all schemas of an agent; the last one is the newest."""
        read = page_of(answers.AgentSchema.of)
        return await self._ask(read, ("agents", agent, "schemas"))

    async def get(self, agent: str, schema_id: str) -> answers.AgentSchema:
        """Read one schema."""
        segments = ("agents", agent, "schemas", schema_id)
        return await self._ask(answers.AgentSchema.of, segments)

    async def withdraw(
        self, agent: str, schema_id: str, **once: Unpack[Repeatable]
    ) -> answers.AgentSchema:
        """Take back a schema that no state is of. Raises: SchemaUsed."""
        segments = ("agents", agent, "schemas", schema_id)
        key, read = calls.key_in(once), answers.AgentSchema.of
        return await self._send("DELETE", segments, None, read, key)

    async def declare_migration(
        self,
        agent: str,
        before: str,
        to: str,
        steps: Sequence[Mapping[str, Json]],
        *,
        idempotency_key: str | None = None,
    ) -> answers.SchemaMigration:
        """Say how a state of version `before` becomes one of version `to`.

        Raises: UnacceptableMigration, at the step that is none.
        """
        body = {"from": before, "to": to, "steps": [dict(one) for one in steps]}
        read = answers.SchemaMigration.of
        return await self._send(
            "POST", ("agents", agent, "migrations"), body, read, idempotency_key
        )

    async def migrations(self, agent: str) -> answers.Page[answers.SchemaMigration]:
        """List all migrations of an agent."""
        read = page_of(answers.SchemaMigration.of)
        return await self._ask(read, ("agents", agent, "migrations"))

    async def get_migration(
        self, agent: str, migration_id: str
    ) -> answers.SchemaMigration:
        """Read one migration."""
        segments = ("agents", agent, "migrations", migration_id)
        return await self._ask(answers.SchemaMigration.of, segments)

    async def withdraw_migration(
        self, agent: str, migration_id: str, **once: Unpack[Repeatable]
    ) -> answers.SchemaMigration:
        """Take back a migration by which nothing was stored. Raises: SchemaUsed."""
        segments = ("agents", agent, "migrations", migration_id)
        key, read = calls.key_in(once), answers.SchemaMigration.of
        return await self._send("DELETE", segments, None, read, key)
