"""The classes of this app's tables, from which grants follow; see `core.roles`.

Requests ask, switch and hold; the retention role alone notes what went. The worker
reads them where it compares rows with their records.
"""

from apps.core.roles.declared import mutable

TABLES = {
    "retention_policy": mutable(
        web="INSERT, UPDATE (is_enabled, preview_id, enabled_at, disabled_at)",
        # A lock on the row takes it: a policy that is switched off stops at once.
        retention="UPDATE (swept_at)",
    ),
    "retention_removal": mutable(
        web="INSERT",
        # A run that found nothing to do leaves no row.
        retention="INSERT, UPDATE (state, cursor, counts, is_complete, error,"
        " ended_at), DELETE",
    ),
    "retention_legalhold": mutable(
        web="INSERT, UPDATE (ended_at, ended_by_label, end_reason)",
        # Of a person who is erased.
        retention="DELETE",
    ),
    "retention_heartbeat": mutable(web="", retention="INSERT, UPDATE"),
}
