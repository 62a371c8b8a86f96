"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import ALL, derived, immutable, mutable

# What an append brings up to date, and what people change about a session. Its origin,
# its project and its agent never change.
_PROJECTION = "status, head_number, updated_at, turn_count, rollback_count, facets"
# What reviews and scores bring up to date.
_JUDGED = "review, scores"
_SAID = "title, metadata, metadata_index, ttl_seconds, expires_at, expired_at"

TABLES = {
    "timeline_session": mutable(
        web=f"INSERT, UPDATE ({_PROJECTION}, {_JUDGED}, {_SAID}, is_watched)",
        # What a confirmed plan does to sessions, the worker does; a keyed document may
        # begin with what it forms of a turn.
        worker=f"INSERT, UPDATE ({_PROJECTION}, review, expired_at)",
        retention="UPDATE, DELETE",
    ),
    "timeline_sessionname": immutable(),
    "timeline_requestkey": immutable(),
    "timeline_version": immutable(worker="INSERT"),
    # What has expired is recorded in a body as well.
    # Retention moves a body to the first version that is kept and shows it.
    "timeline_body": immutable(worker="INSERT", retention=ALL),
    # What retention leaves in the place of what it took.
    "timeline_tombstone": immutable(web="", retention="INSERT"),
    "timeline_turn": immutable(),
    "timeline_note": immutable(),
    "timeline_review": immutable(worker="INSERT"),
    "timeline_score": immutable(),
    "timeline_summary": immutable(),
    "timeline_pendingwrite": immutable(),
    "timeline_hiddenversions": immutable(),
    "timeline_effect": immutable(),
    # What nobody finished in time, the worker says.
    "timeline_effectstep": immutable(worker="INSERT"),
    # What confirmed plans roll back, the worker does.
    "timeline_compensation": immutable(worker="INSERT"),
    "timeline_compensationstep": immutable(),
    # Where the newest result is that an agent's sessions offer each other.
    "timeline_agentresult": mutable(web="INSERT, UPDATE", retention="DELETE"),
    "timeline_forgetting": immutable(),
    "timeline_agentforgetting": immutable(),
    "timeline_effectdue": derived(web="INSERT, UPDATE, DELETE"),
    "timeline_lease": mutable(
        web="INSERT, UPDATE (holder, actor_id, fence, until)", retention="DELETE"
    ),
    # Of keyed documents; the worker records what has expired.
    "timeline_entry": immutable(worker="INSERT"),
    "timeline_keyhead": mutable(worker=ALL, retention="DELETE"),
    "timeline_tally": mutable(
        web="INSERT, UPDATE", worker="INSERT, UPDATE", retention="DELETE"
    ),
    "timeline_label": mutable(
        web="INSERT, DELETE", worker="INSERT, DELETE", retention="DELETE"
    ),
    "timeline_pending": mutable(web="INSERT", worker=ALL, retention="DELETE"),
    # What the projector writes; labels are made findable by who sets them.
    "timeline_change": derived(),
    "timeline_term": derived(web="INSERT, UPDATE, DELETE"),
    "timeline_text": derived(web="INSERT, UPDATE, DELETE"),
    "timeline_opening": derived(),
    "timeline_unsearched": derived(),
    "timeline_open": derived(web="INSERT, DELETE"),
    "timeline_change_current": derived(worker="", retention=None),
    "timeline_term_current": derived(worker="", retention=None),
    "timeline_text_current": derived(worker="", retention=None),
}
