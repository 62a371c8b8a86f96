"""What a state of one version is under another: by the declared migrations, one by one.

Nothing is written here. A state that comes out has to pass the schema of its version:
half a migration is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from apps.core import json
from apps.core.json import Json
from apps.core.json.schemas import Shape
from apps.schemas.errors import (
    MigrationFailed,
    NoMigration,
    NothingToMigrate,
    SchemaNotFound,
    SchemaUnfit,
)
from apps.schemas.graph import way
from apps.schemas.models import AgentSchema, SchemaMigration
from apps.schemas.querysets import MOST_MIGRATIONS
from apps.schemas.steps import Failed, apply
from apps.schemas.steps.applying import require_acceptable


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """How states of an agent get from one version to another."""

    source: str
    target: AgentSchema
    migrations: Sequence[SchemaMigration]

    def migrated(self, state: dict[str, Json]) -> dict[str, Json]:
        """Change this very state, and return it as the target's.

        Raises: MigrationFailed, SchemaUnfit, UnacceptableJson, PayloadTooLarge.
        """
        for migration in self.migrations:
            try:
                state = apply(migration.read(), state)
            except Failed as failed:
                raise MigrationFailed(
                    f"{migration}: {failed.message} The step is {failed.step}, the "
                    f"place {failed.at or 'the whole state'}.",
                    param=f"/state{failed.at}",
                    migration_id=migration.id,
                    step=failed.step,
                    pointer=failed.at,
                ) from None
        require_acceptable(state)
        faults = _shape(bytes(self.target.body)).faults(state, at="/state")
        if faults:
            places = ", ".join(one["param"] for one in faults[:3])
            raise SchemaUnfit(
                f"The migrated state does not pass schema {self.target.version}: "
                f"{places}.",
                param=faults[0]["param"],
                errors=faults,
            )
        return state


def require_declared(project_id: str, agent_id: str, version: str) -> AgentSchema:
    """Return the schema of a version.

    Raises: SchemaNotFound.
    """
    schemas = AgentSchema.objects.of_agent(project_id, agent_id)
    found = schemas.filter(version=version).first()
    if found is None:
        raise SchemaNotFound(param="schema")
    return found


def route(project_id: str, agent_id: str, source: str | None, target: str) -> Route:
    """Return how states get from one version to another.

    Raises: SchemaNotFound, NothingToMigrate, NoMigration.
    """
    schema = require_declared(project_id, agent_id, target)
    if source == target:
        raise NothingToMigrate(schema=target)
    migrations = SchemaMigration.objects.of_agent(project_id, agent_id)
    found = (
        None
        if source is None
        else way(list(migrations[:MOST_MIGRATIONS]), source, target)
    )
    if source is None or found is None:
        of = "no schema" if source is None else f"schema {json.cleaned(source)}"
        raise NoMigration(
            f"The state is of {of}, and no migrations lead from there to {target}.",
            param="schema",
            schema=source,
        )
    return Route(source=source, target=schema, migrations=found)


@lru_cache(maxsize=64)
def _shape(body: bytes) -> Shape:
    return Shape(json.parse_written(body))
