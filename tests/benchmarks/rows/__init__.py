"""The rows of the table: each module says `WHAT` it measures and does so in `run`."""

from __future__ import annotations

from types import ModuleType

from tests.benchmarks.rows import (
    acting,
    appends,
    archive,
    batches,
    bisects,
    changes,
    chat,
    dashboard,
    documents,
    embedding,
    heads,
    incidents,
    items,
    keeping,
    masks,
    meaning,
    memories,
    memory,
    merging,
    pages,
    policies,
    projector,
    promoting,
    recorded,
    rollbacks,
    roots,
    savers,
    scale,
    search,
    webhooks,
)

# In the order of the table.
ROWS: dict[str, ModuleType] = {
    "append": appends,
    "batch": batches,
    "projector": projector,
    "head": heads,
    "chat": chat,
    "item": items,
    "rollback": rollbacks,
    "scale": scale,
    "search": search,
    "changes": changes,
    "bisect": bisects,
    "merging": merging,
    "promote": promoting,
    "incident": incidents,
    "pages": pages,
    "dashboard": dashboard,
    "saver": savers,
    "memory": memory,
    "recorded": recorded,
    "webhooks": webhooks,
    "policies": policies,
    "documents": documents,
    "meaning": meaning,
    "memories": memories,
    "embedding": embedding,
    "acting": acting,
    "roots": roots,
    "keeping": keeping,
    "masks": masks,
    "archive": archive,
}
# Those that need neither large data nor the baselines' venv.
CHEAP = ("head", "item", "rollback", "changes", "roots")
