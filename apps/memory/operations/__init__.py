"""The verbs of memories: each is one act, in one transaction with its record."""

from apps.memory.documents.deciding import Decision
from apps.memory.operations.adding import NewMemory, add
from apps.memory.operations.changing import Changes, delete, update
from apps.memory.operations.expiring import expire_due
from apps.memory.operations.forgetting import (
    forget_session,
    has_taught,
    preview_forgetting,
)
from apps.memory.operations.importing import import_memories
from apps.memory.operations.patches import PatchPreview, preview_patch
from apps.memory.operations.reading import (
    BrowseAsked,
    ListAsked,
    browse,
    list_memories,
    look,
    read,
    read_versions,
)
from apps.memory.operations.resolving import Resolution, resolve
from apps.memory.operations.searching import SearchAsked, search
from apps.memory.operations.stepping import preview, step_back

__all__ = [
    "BrowseAsked",
    "Changes",
    "Decision",
    "ListAsked",
    "NewMemory",
    "PatchPreview",
    "Resolution",
    "SearchAsked",
    "add",
    "browse",
    "delete",
    "expire_due",
    "forget_session",
    "has_taught",
    "import_memories",
    "list_memories",
    "look",
    "preview",
    "preview_forgetting",
    "preview_patch",
    "read",
    "read_versions",
    "resolve",
    "search",
    "step_back",
    "update",
]
