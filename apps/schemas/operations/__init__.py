"""The verbs of schemas: declare them and the ways between, withdraw, note their use."""

from apps.schemas.operations.declaring import (
    MAX_VERSION,
    NewMigration,
    NewSchema,
    declare_migration,
    declare_schema,
)
from apps.schemas.operations.using import note_use
from apps.schemas.operations.withdrawing import withdraw_migration, withdraw_schema

__all__ = [
    "MAX_VERSION",
    "NewMigration",
    "NewSchema",
    "declare_migration",
    "declare_schema",
    "note_use",
    "withdraw_migration",
    "withdraw_schema",
]
