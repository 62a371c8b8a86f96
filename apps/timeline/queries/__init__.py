"""Questions about sessions: lists, their pages, previews, what is open."""

from apps.timeline.queries.activity import (
    ACTS_LOOKED_AT,
    NEWEST_SESSIONS,
    agent_activity,
    busiest_agents,
    sessions_touched,
)
from apps.timeline.queries.calls import Call, calls_in_messages, calls_in_turn
from apps.timeline.queries.divergence import Divergence, find_divergence
from apps.timeline.queries.listing import VersionChanges, version_changes, within_bytes
from apps.timeline.queries.open_items import (
    MOST_COUNTED,
    MOST_FLAGGED,
    OpenItem,
    OpenPlace,
    list_open_items,
    open_counts,
)
from apps.timeline.queries.pages import (
    FAMILY_SESSIONS,
    LISTED_TURNS,
    Annotation,
    Bucket,
    Kin,
    ListedTurn,
    Parting,
    VersionFilter,
    annotations_beside,
    listed_turns,
    listed_versions,
    partings,
    session_family,
    strip_buckets,
    version_at,
)
from apps.timeline.queries.preview import Preview, preview_rollback

__all__ = [
    "ACTS_LOOKED_AT",
    "FAMILY_SESSIONS",
    "LISTED_TURNS",
    "MOST_COUNTED",
    "MOST_FLAGGED",
    "NEWEST_SESSIONS",
    "Annotation",
    "Bucket",
    "Call",
    "Divergence",
    "Kin",
    "ListedTurn",
    "OpenItem",
    "OpenPlace",
    "Parting",
    "Preview",
    "VersionChanges",
    "VersionFilter",
    "agent_activity",
    "annotations_beside",
    "busiest_agents",
    "calls_in_messages",
    "calls_in_turn",
    "find_divergence",
    "list_open_items",
    "listed_turns",
    "listed_versions",
    "open_counts",
    "partings",
    "preview_rollback",
    "session_family",
    "sessions_touched",
    "strip_buckets",
    "version_at",
    "version_changes",
    "within_bytes",
]
