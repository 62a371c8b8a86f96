"""What is kept of agents' data beside the ledger."""

from apps.data.models.checkpoints import Checkpoint, Release, Schedule
from apps.data.models.exceptions import PolicyException
from apps.data.models.exports import Export, ExportFormat
from apps.data.models.restores import LongRestore, RestoreState

__all__ = [
    "Checkpoint",
    "Export",
    "ExportFormat",
    "LongRestore",
    "PolicyException",
    "Release",
    "RestoreState",
    "Schedule",
]
