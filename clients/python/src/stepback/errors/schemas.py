"""A schema of states is not there or refused, or a state does not get to it."""

from __future__ import annotations

from collections.abc import Sequence

from stepback.errors.missing import NotFound
from stepback.errors.refused import Refused
from stepback.errors.requests import BadRequest


class SchemaNotFound(NotFound):
    """There is no such schema of this agent."""

    code = "schema_not_found"


class MigrationNotFound(NotFound):
    """There is no such migration of this agent."""

    code = "migration_not_found"


class UnacceptableSchema(BadRequest):
    """The schema cannot be declared so; `param` says where."""

    code = "unacceptable_schema"


class UnacceptableMigration(BadRequest):
    """The migration cannot be declared so; `param` says where."""

    code = "unacceptable_migration"


class SchemaExists(Refused):
    """This version is declared already; a schema is never changed."""

    code = "schema_exists"


class SchemaUsed(Refused):
    """It was used, so it stays."""

    code = "schema_used"


class TooManySchemas(Refused):
    """This agent has as many as it may have."""

    code = "too_many_schemas"


class SchemaUnknown(Refused):
    """This agent's writes name a schema_version that is declared."""

    code = "schema_unknown"


class SchemaBehind(Refused):
    """The head is of a newer schema than this write: take the newer code."""

    code = "schema_behind"

    @property
    def head_schema(self) -> str:
        """Return the schema of the head."""
        return str(self.details["head_schema"])


class NoMigration(Refused):
    """No migrations lead from the state's schema to that one."""

    code = "no_migration"


class NothingToMigrate(Refused):
    """The state is of that schema already."""

    code = "nothing_to_migrate"


class MigrationFailed(Refused):
    """A step cannot be done on this state; nothing was stored."""

    code = "migration_failed"

    @property
    def step(self) -> str:
        """Return where in the migration that step stands."""
        return str(self.details["step"])

    @property
    def pointer(self) -> str:
        """Return the place in the state."""
        return str(self.details["pointer"])


class SchemaUnfit(Refused):
    """The migrated state does not pass its schema; nothing was stored."""

    code = "schema_unfit"

    @property
    def errors(self) -> Sequence[object]:
        """Return the places that do not pass."""
        return tuple(self.details["errors"])
