"""Versions as they are stored: their records, their chain, loading, lineage."""

from apps.timeline.bodies import CorruptBody
from apps.timeline.bodies.bundles import PART_SHAPES, named_parts
from apps.timeline.bodies.facts import Fact, facts_of, is_key
from apps.timeline.bodies.tasks import is_completed, listed, next_task
from apps.timeline.bodies.tasks import progress as progress_of
from apps.timeline.versions.changed import kept_changes
from apps.timeline.versions.decoding.streams import Stream
from apps.timeline.versions.families import children as child_ids
from apps.timeline.versions.families import parent_id
from apps.timeline.versions.fetching import head as head_of
from apps.timeline.versions.fetching import heads as heads_of
from apps.timeline.versions.fetching import (
    history_size,
    newest_number,
    versions_at,
    versions_of,
)
from apps.timeline.versions.fetching import states as states_of
from apps.timeline.versions.gone import pruned as tombstone_over
from apps.timeline.versions.gone import (
    removed_between,
    require_not_pruned,
    tombstone_object,
)
from apps.timeline.versions.heads import kept as head_kept
from apps.timeline.versions.lineage import (
    lineage as lineage_of,
)
from apps.timeline.versions.lineage import (
    live_ranges,
    live_ranges_each,
    set_aside_by,
)
from apps.timeline.versions.reading import VersionRow, require_contents
from apps.timeline.versions.reading import fetch as fetch_bodies
from apps.timeline.versions.reading import parsed as parsed_state
from apps.timeline.versions.reading import parsed_pair as parsed_states
from apps.timeline.versions.reading import parts as body_parts
from apps.timeline.versions.reading import state as state_bytes

__all__ = [
    "PART_SHAPES",
    "CorruptBody",
    "Fact",
    "Stream",
    "VersionRow",
    "body_parts",
    "child_ids",
    "facts_of",
    "fetch_bodies",
    "head_kept",
    "head_of",
    "heads_of",
    "history_size",
    "is_completed",
    "is_key",
    "kept_changes",
    "lineage_of",
    "listed",
    "live_ranges",
    "live_ranges_each",
    "named_parts",
    "newest_number",
    "next_task",
    "parent_id",
    "parsed_state",
    "parsed_states",
    "progress_of",
    "removed_between",
    "require_contents",
    "require_not_pruned",
    "set_aside_by",
    "state_bytes",
    "states_of",
    "tombstone_object",
    "tombstone_over",
    "versions_at",
    "versions_of",
]
