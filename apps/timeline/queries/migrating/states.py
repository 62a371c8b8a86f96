"""A version's state as another schema of its agent has it. Nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.core import json, sql
from apps.core.errors import DomainError
from apps.core.json import State
from apps.schemas.errors import NoMigration, SchemaNotFound
from apps.schemas.migrating import Route, require_declared, route
from apps.timeline.errors import ContentsErased
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op


@dataclass(frozen=True, kw_only=True, slots=True)
class Migrated:
    """A state of another schema, and how it became that."""

    state: State
    route: Route

    @property
    def source(self) -> str:
        return self.route.source

    @property
    def target(self) -> str:
        return self.route.target.version


@dataclass(frozen=True, kw_only=True, slots=True)
class Boundary:
    """Two versions are of different schemas, and whether migrations lead across."""

    head: str | None
    restored: str | None
    migrates: bool


def boundary(head: VersionRow, restored: VersionRow) -> Boundary | None:
    """Say what a rollback has to know of schemas; None where both are of one."""
    if head.schema_version == restored.schema_version:
        return None
    migrates = True
    try:
        route(
            head.project_id,
            head.agent_id,
            restored.schema_version,
            head.schema_version or "",
        )
    except (SchemaNotFound, NoMigration):
        migrates = False
    return Boundary(
        head=head.schema_version, restored=restored.schema_version, migrates=migrates
    )


def migrated(version: VersionRow, to: str, *, source: str | None = None) -> Migrated:
    """Return the version's state under schema `to`.

    What says nothing of its schema is taken to be of `source`, if that is said.

    Raises: SchemaNotFound, NothingToMigrate, NoMigration, MigrationFailed, SchemaUnfit,
    UnacceptableJson, PayloadTooLarge.
    """
    of = version.schema_version if version.schema_version is not None else source
    found = route(version.project_id, version.agent_id, of, to)
    # A value of its own: the steps change it.
    state = json.parse_written(reading.state(version))
    return Migrated(state=found.migrated(state), route=found)


def shown_under(version: VersionRow, to: str, *, source: str | None = None) -> bytes:
    """Return the version's state under schema `to` as it is written.

    It is what it is where it is of that schema already.

    Raises: as `migrated`, but for NothingToMigrate.
    """
    of = version.schema_version if version.schema_version is not None else source
    if of == to:
        require_declared(version.project_id, version.agent_id, to)
        return reading.state(version)
    return json.dumps(migrated(version, to, source=source).state)


# Bodies that are decoded at once for trials.
_TRIED_AT_ONCE = 25


def migration_trials(
    session_ids: Sequence[str], *, to: str, source: str | None = None
) -> dict[str, DomainError | None]:
    """Migrate the heads of sessions that the caller may see, and keep nothing.

    Returns why it is refused, by session; None where it would be stored.
    """
    routes: dict[tuple[str, str | None], Route | DomainError] = {}
    found: dict[str, DomainError | None] = {}
    ahead: list[tuple[VersionRow, Route]] = []
    for head in fetching.heads(session_ids).values():
        of = head.schema_version if head.schema_version is not None else source
        if (head.agent_id, of) not in routes:
            routes[head.agent_id, of] = _route(head, of, to)
        by = routes[head.agent_id, of]
        if isinstance(by, Route):
            ahead.append((head, by))
        else:
            found[head.session_id] = by
    for start in range(0, len(ahead), _TRIED_AT_ONCE):
        some = ahead[start : start + _TRIED_AT_ONCE]
        states = fetching.states_there([head for head, _ in some])
        for head, by in some:
            state = states.get((head.session_id, head.number))
            found[head.session_id] = _refusal(by, state)
    return found


def _route(head: VersionRow, of: str | None, to: str) -> Route | DomainError:
    try:
        return route(head.project_id, head.agent_id, of, to)
    except DomainError as refused:
        return refused


def _refusal(by: Route, state: bytes | None) -> DomainError | None:
    if state is None:
        return ContentsErased()
    try:
        by.migrated(json.parse_written(state))
    except DomainError as refused:
        return refused
    return None


_WRITTEN = sql.across("""
SELECT v.number FROM timeline_session s
  JOIN timeline_version v ON v.session_id = s.id
 WHERE s.project_id = %(project)s AND s.agent_id = %(agent)s
   AND v.schema_version = %(version)s
 LIMIT 1
""")


def is_written(project_id: str, agent_id: str, version: str) -> bool:
    """Say whether any version of the agent's sessions names this schema.

    It looks through them all where none does: for withdrawing what nobody used.
    """
    asked = {"project": project_id, "agent": agent_id, "version": version}
    return bool(sql.rows(_WRITTEN, asked))


def migrated_from(version: VersionRow) -> str | None:
    """Return the schema that the state of a version `migrate` was of before."""
    return version.reason_code if version.op == Op.MIGRATE else None
