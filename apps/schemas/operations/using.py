"""Note that schemas and migrations were used: from then on they stay."""

from __future__ import annotations

from apps.agents.acts import Act
from apps.schemas.errors import NoMigration
from apps.schemas.migrating import Route
from apps.schemas.models import AgentSchema, SchemaMigration


def note_use(*, act: Act, route: Route) -> None:
    """Keep what a stored state was migrated by, in the transaction that stores it.

    Whoever withdraws one of them at this moment comes first, and nothing is stored, or
    waits and is refused.

    Raises: NoMigration where one was withdrawn meanwhile.
    """
    ids = [one.id for one in route.migrations]
    unused = SchemaMigration.objects.filter(id__in=ids, used_at__isnull=True)
    # Without a lock once they were used: sessions are migrated side by side.
    if any(one.used_at is None for one in route.migrations):
        unused.update(used_at=act.now)
        if SchemaMigration.objects.filter(id__in=ids).count() != len(ids):
            raise NoMigration(
                "A migration on the way was withdrawn meanwhile.", param="schema"
            )
    versions = {route.target.version, *(one.from_version for one in route.migrations)}
    mine = AgentSchema.objects.of_agent(act.project_id, route.target.agent_id)
    if route.target.used_at is None:
        mine.filter(version__in=versions, used_at__isnull=True).update(used_at=act.now)
