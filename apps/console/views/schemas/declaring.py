"""The page of an agent's schemas: declared, listed, withdrawn."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.agents.models import Agent
from apps.console.views.requests.acts import act_of
from apps.console.views.requests.decorators import act, form
from apps.console.views.requests.refusals import SeeOther
from apps.console.views.schemas.filled import MigrationForm, NoJson, SchemaForm
from apps.schemas import operations as schemas
from apps.schemas.errors import (
    SchemaExists,
    TooManySchemas,
    UnacceptableMigration,
    UnacceptableSchema,
)
from apps.schemas.models import AgentSchema, SchemaMigration
from apps.schemas.querysets import MOST_MIGRATIONS, MOST_SCHEMAS

REFUSED = (SchemaExists, TooManySchemas, UnacceptableMigration, UnacceptableSchema)
# Which field of a form a place in what was said belongs to.
FIELDS = {"version": "version", "from": "before", "to": "after", "steps": "steps"}


@form(Permission.ADMIN)
def agent_schemas(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Show the schemas of an agent and the migrations, and declare one more schema."""
    agent = _agent(request, membership, agent_id)
    if request.method != "POST":
        return _page(request, membership, agent)
    filled = SchemaForm(request.POST)
    if filled.is_valid():
        try:
            schemas.declare_schema(
                act=act_of(request, membership), reference=agent.id, said=filled.said()
            )
        except NoJson as refused:
            filled.add_error(refused.field, refused.message)
        except REFUSED as refused:
            place = "version" if refused.param == "version" else "schema"
            filled.add_error(place, _told(refused))
        else:
            messages.success(request, "The schema is declared; it is never changed.")
            return _to_page(membership, agent)
    return _page(request, membership, agent, schema=filled, status=422)


@form(Permission.ADMIN)
def agent_migrations(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Show the same page, and declare one more migration."""
    agent = _agent(request, membership, agent_id)
    if request.method != "POST":
        return _page(request, membership, agent)
    filled = MigrationForm(_versions(agent), request.POST)
    if filled.is_valid():
        try:
            schemas.declare_migration(
                act=act_of(request, membership), reference=agent.id, said=filled.said()
            )
        except NoJson as refused:
            filled.add_error(refused.field, refused.message)
        except REFUSED as refused:
            name = (refused.param or "").strip("/").split("/")[0]
            filled.add_error(FIELDS.get(name, "steps"), _told(refused))
        else:
            messages.success(request, "The migration is declared; nothing is migrated.")
            return _to_page(membership, agent)
    return _page(request, membership, agent, migration=filled, status=422)


def schemas_shown(
    request: HttpRequest, membership: Membership, agent_id: str, **_: str
) -> HttpResponse:
    """Return the page for an act on a schema or a migration that was refused."""
    return _page(request, membership, _agent(request, membership, agent_id))


@act(Permission.ADMIN, shows=schemas_shown)
def withdraw_schema(
    request: HttpRequest, membership: Membership, agent_id: str, schema_id: str
) -> HttpResponse:
    """Take back a schema that was never used."""
    agent = _agent(request, membership, agent_id)
    schemas.withdraw_schema(
        act=act_of(request, membership), reference=agent.id, schema_id=schema_id
    )
    messages.success(request, "The schema is withdrawn.")
    return _to_page(membership, agent)


@act(Permission.ADMIN, shows=schemas_shown)
def withdraw_migration(
    request: HttpRequest, membership: Membership, agent_id: str, migration_id: str
) -> HttpResponse:
    """Take back a migration that was never used."""
    agent = _agent(request, membership, agent_id)
    schemas.withdraw_migration(
        act=act_of(request, membership), reference=agent.id, migration_id=migration_id
    )
    messages.success(request, "The migration is withdrawn.")
    return _to_page(membership, agent)


def _agent(request: HttpRequest, membership: Membership, agent_id: str) -> Agent:
    scope = act_of(request, membership).scope
    return Agent.objects.visible_to(scope).one_named(agent_id)


def _versions(agent: Agent) -> list[str]:
    mine = AgentSchema.objects.of_agent(agent.project_id, agent.id)
    return list(mine.values_list("version", flat=True)[:MOST_SCHEMAS])


def _told(
    refused: SchemaExists | TooManySchemas | UnacceptableMigration | UnacceptableSchema,
) -> str:
    place = (refused.param or "").removeprefix("/")
    return f"{refused.message} ({place})" if "/" in place else refused.message


def _page(
    request: HttpRequest,
    membership: Membership,
    agent: Agent,
    *,
    schema: SchemaForm | None = None,
    migration: MigrationForm | None = None,
    status: int = 200,
) -> HttpResponse:
    declared = list(
        AgentSchema.objects.of_agent(membership.project_id, agent.id)[:MOST_SCHEMAS]
    )
    ways = SchemaMigration.objects.of_agent(membership.project_id, agent.id)
    context = {
        "membership": membership,
        "agent": agent,
        "schemas": declared,
        "is_strict": bool(declared and declared[-1].strict),
        "migrations": list(ways[:MOST_MIGRATIONS]),
        "schema_form": schema or SchemaForm(),
        "migration_form": migration or MigrationForm([one.version for one in declared]),
    }
    return render(request, "console/agent_schemas.html", context, status=status)


def _to_page(membership: Membership, agent: Agent) -> HttpResponse:
    where = [membership.project.slug, agent.id]
    return SeeOther(reverse("console:agent_schemas", args=where))
