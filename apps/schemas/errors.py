"""What can go wrong with schemas of states, and with migrating one."""

from apps.core.errors import DomainError, NotFound


class SchemaNotFound(NotFound):
    """There is no such schema of this agent."""

    code = "schema_not_found"


class MigrationNotFound(NotFound):
    """There is no such migration of this agent."""

    code = "migration_not_found"


class UnacceptableSchema(DomainError):
    """The schema cannot be declared so."""

    code = "unacceptable_schema"


class UnacceptableMigration(DomainError):
    """The migration cannot be declared so."""

    code = "unacceptable_migration"


class SchemaExists(DomainError):
    """This version is declared already; a schema is never changed."""

    code = "schema_exists"


class SchemaUsed(DomainError):
    """It was used, so it stays: only what never was is withdrawn."""

    code = "schema_used"


class TooManySchemas(DomainError):
    """This agent has as many as it may have; withdraw what was never used."""

    code = "too_many_schemas"


class SchemaUnknown(DomainError):
    """This agent's writes name a schema_version that is declared."""

    code = "schema_unknown"


class SchemaBehind(DomainError):
    """The head is of a newer schema than this write: take the newer code."""

    code = "schema_behind"


class NoMigration(DomainError):
    """No migrations lead from the state's schema to that one."""

    code = "no_migration"


class NothingToMigrate(DomainError):
    """The state is of that schema already."""

    code = "nothing_to_migrate"


class MigrationFailed(DomainError):
    """A step of the migration cannot be done on this state; nothing was stored."""

    code = "migration_failed"


class SchemaUnfit(DomainError):
    """The migrated state does not pass its schema; nothing was stored."""

    code = "schema_unfit"
