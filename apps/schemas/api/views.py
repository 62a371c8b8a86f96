"""Schemas over REST: a key reads them, administrators' keys declare and withdraw."""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.agents.acts import Act
from apps.agents.api.answers import Body, act_of, answered
from apps.agents.models import Agent
from apps.core import json, paging
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.schemas import operations as schemas
from apps.schemas.api.serializers import (
    MigrationInput,
    MigrationListOutput,
    MigrationOutput,
    SchemaInput,
    SchemaListOutput,
    SchemaOutput,
)
from apps.schemas.api.shapes import migration_object, schema_object
from apps.schemas.models import AgentSchema, SchemaMigration
from apps.schemas.querysets import MOST_MIGRATIONS, MOST_SCHEMAS

AGENT = OpenApiParameter(
    "agent",
    str,
    OpenApiParameter.PATH,
    description="Our id of the agent, or your name for it, if that has no slash.",
)
SCHEMA = OpenApiParameter(
    "schema_id", str, OpenApiParameter.PATH, description="Its `id`."
)
MIGRATION = OpenApiParameter(
    "migration_id", str, OpenApiParameter.PATH, description="Its `id`."
)
DECLARE = errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
READ = errors(400, 401, 403, 404, 429, 503)
WITHDRAW = errors(400, 401, 403, 404, 409, 422, 429, 503)


class SchemaView(ApiView):
    """What all addresses have in common: who changes anything is an administrator."""

    required_scope = {"POST": Permission.ADMIN, "DELETE": Permission.ADMIN}

    def agent(self, act: Act, reference: str) -> Agent:
        """Return the agent, where the caller may see it."""
        return Agent.objects.visible_to(act.scope).one_named(reference)


class SchemaCollection(SchemaView):
    """`/v1/agents/{agent}/schemas`"""

    @extend_schema(
        operation_id="declare_schema",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=SchemaInput,
        responses={201: SchemaOutput} | DECLARE,
    )
    def post(self, request: Request, agent: str) -> Response:
        """Say what the agent's states of one version are; it is never changed."""
        act = act_of(request)

        def perform() -> Body:
            said = self.read(SchemaInput).said()
            schema = schemas.declare_schema(act=act, reference=agent, said=said)
            return 201, json.dumps(schema_object(schema))

        return answered(request, scope=act.scope, perform=perform)

    @extend_schema(
        operation_id="list_schemas",
        parameters=[AGENT],
        responses={200: SchemaListOutput} | READ,
    )
    def get(self, request: Request, agent: str) -> Response:
        """List all schemas of an agent; the last one is the newest."""
        act = act_of(request)
        found = AgentSchema.objects.of_agent(act.project_id, self.agent(act, agent).id)
        page = list(found[:MOST_SCHEMAS])
        return Response(paging.page(page, MOST_SCHEMAS, _id_of, schema_object))


class SchemaDetail(SchemaView):
    """`/v1/agents/{agent}/schemas/{schema_id}`"""

    @extend_schema(
        operation_id="get_schema",
        parameters=[AGENT, SCHEMA],
        responses={200: SchemaOutput} | READ,
    )
    def get(self, request: Request, agent: str, schema_id: str) -> Response:
        """Read one schema."""
        act = act_of(request)
        mine = AgentSchema.objects.of_agent(act.project_id, self.agent(act, agent).id)
        return Response(schema_object(mine.one(schema_id)))

    @extend_schema(
        operation_id="withdraw_schema",
        parameters=[AGENT, SCHEMA, IDEMPOTENCY_KEY],
        request=None,
        responses={200: SchemaOutput} | WITHDRAW,
    )
    def delete(self, request: Request, agent: str, schema_id: str) -> Response:
        """Take back a schema that no state is of; one that was used stays."""
        act = act_of(request)
        withdraw = partial(
            schemas.withdraw_schema, act=act, reference=agent, schema_id=schema_id
        )

        def perform() -> Body:
            return 200, json.dumps(schema_object(withdraw()))

        return answered(request, scope=act.scope, perform=perform)


class MigrationCollection(SchemaView):
    """`/v1/agents/{agent}/migrations`"""

    @extend_schema(
        operation_id="declare_migration",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=MigrationInput,
        responses={201: MigrationOutput} | DECLARE,
    )
    def post(self, request: Request, agent: str) -> Response:
        """Say how a state of one version becomes one of another: steps, no code."""
        act = act_of(request)

        def perform() -> Body:
            said = self.read(MigrationInput).said()
            migration = schemas.declare_migration(act=act, reference=agent, said=said)
            return 201, json.dumps(migration_object(migration))

        return answered(request, scope=act.scope, perform=perform)

    @extend_schema(
        operation_id="list_migrations",
        parameters=[AGENT],
        responses={200: MigrationListOutput} | READ,
    )
    def get(self, request: Request, agent: str) -> Response:
        """List all migrations of an agent."""
        act = act_of(request)
        found = SchemaMigration.objects.of_agent(
            act.project_id, self.agent(act, agent).id
        )
        page = list(found[:MOST_MIGRATIONS])
        return Response(paging.page(page, MOST_MIGRATIONS, _id_of, migration_object))


class MigrationDetail(SchemaView):
    """`/v1/agents/{agent}/migrations/{migration_id}`"""

    @extend_schema(
        operation_id="get_migration",
        parameters=[AGENT, MIGRATION],
        responses={200: MigrationOutput} | READ,
    )
    def get(self, request: Request, agent: str, migration_id: str) -> Response:
        """Read one migration."""
        act = act_of(request)
        mine = SchemaMigration.objects.of_agent(
            act.project_id, self.agent(act, agent).id
        )
        return Response(migration_object(mine.one(migration_id)))

    @extend_schema(
        operation_id="withdraw_migration",
        parameters=[AGENT, MIGRATION, IDEMPOTENCY_KEY],
        request=None,
        responses={200: MigrationOutput} | WITHDRAW,
    )
    def delete(self, request: Request, agent: str, migration_id: str) -> Response:
        """Take back a migration by which nothing was stored."""
        act = act_of(request)
        withdraw = partial(
            schemas.withdraw_migration,
            act=act,
            reference=agent,
            migration_id=migration_id,
        )

        def perform() -> Body:
            return 200, json.dumps(migration_object(withdraw()))

        return answered(request, scope=act.scope, perform=perform)


def _id_of(row: Any) -> str:
    return str(row.id)
