"""The verbs of agents' data: each is one act, in one transaction with its record."""

from apps.data.operations.checkpoints import (
    NewCheckpoint,
    create_checkpoint,
    delete_checkpoint,
    list_checkpoints,
    read_checkpoint,
)
from apps.data.operations.comparing import compare_checkpoints
from apps.data.operations.configuring import (
    configure,
    list_configs,
    read_config,
    roll_back_config,
)
from apps.data.operations.expiring import expire_due
from apps.data.operations.exports import (
    ExportRequest,
    export_audit,
    link_token,
    opened_export,
)
from apps.data.operations.governing.exceptions import (
    NewException,
    create_exception,
    end_exception,
)
from apps.data.operations.governing.floors import set_floor
from apps.data.operations.governing.looking import list_exceptions, read_exception
from apps.data.operations.keeping.by_steps import restore_by_steps
from apps.data.operations.keeping.long_restores import (
    list_restores,
    restore_running,
    start_restore,
)
from apps.data.operations.keeping.releases import keep_before_releases
from apps.data.operations.keeping.scheduling import (
    keep_due,
    read_schedule,
    set_schedule,
)
from apps.data.operations.reading import (
    list_values,
    read_value,
    read_value_plainly,
    read_versions,
)
from apps.data.operations.removing import remove, remove_prefix
from apps.data.operations.restoring import (
    RestoreWanted,
    preview_restore,
    restore_checkpoint,
)
from apps.data.operations.searching import SearchAsked, search
from apps.data.operations.writing import write_batch, write_plainly

__all__ = [
    "ExportRequest",
    "NewCheckpoint",
    "NewException",
    "RestoreWanted",
    "SearchAsked",
    "compare_checkpoints",
    "configure",
    "create_checkpoint",
    "create_exception",
    "delete_checkpoint",
    "end_exception",
    "expire_due",
    "export_audit",
    "keep_before_releases",
    "keep_due",
    "link_token",
    "list_checkpoints",
    "list_configs",
    "list_exceptions",
    "list_restores",
    "list_values",
    "opened_export",
    "preview_restore",
    "read_checkpoint",
    "read_config",
    "read_exception",
    "read_schedule",
    "read_value",
    "read_value_plainly",
    "read_versions",
    "remove",
    "remove_prefix",
    "restore_by_steps",
    "restore_checkpoint",
    "restore_running",
    "roll_back_config",
    "search",
    "set_floor",
    "set_schedule",
    "start_restore",
    "write_batch",
    "write_plainly",
]
