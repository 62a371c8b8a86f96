"""Take away what need not be kept: contents, versions, sessions; prove what remains."""

from apps.timeline.operations.keeping.archives import delete_archives, sweep_archives
from apps.timeline.operations.keeping.archiving import archive_versions
from apps.timeline.operations.keeping.documents import (
    archivable,
    archive_entries,
    empty_entries,
    prune_entries,
    superseded,
    unneeded,
)
from apps.timeline.operations.keeping.removing import (
    PINS_OF_PARTS,
    remove_session,
    thin_session,
)
from apps.timeline.operations.keeping.sealing import seal_older, seal_session
from apps.timeline.operations.keeping.taking import empty_versions, prune_versions
from apps.timeline.operations.keeping.values import Gone, Went

__all__ = [
    "PINS_OF_PARTS",
    "Gone",
    "Went",
    "archivable",
    "archive_entries",
    "archive_versions",
    "delete_archives",
    "empty_entries",
    "empty_versions",
    "prune_entries",
    "prune_versions",
    "remove_session",
    "seal_older",
    "seal_session",
    "superseded",
    "sweep_archives",
    "thin_session",
    "unneeded",
]
