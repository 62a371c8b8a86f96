"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import immutable, mutable

TABLES = {
    # A row lock takes UPDATE, so the worker has it of the one column it sets.
    "incidents_incident": mutable(
        web="INSERT, UPDATE (title, status, check_text, checked_at, owner_id,"
        " owner_label, resolved_at, watched_to)",
        worker="UPDATE (checked_at, status, resolved_at, watched_to)",
        retention="UPDATE (title, query, check_text)",
    ),
    # What was frozen stays as it is.
    "incidents_member": mutable(
        web="INSERT, UPDATE (removed_at, removed_by, verdict, bad_session_id,"
        " bad_number, bad_release, bad_at)",
        worker="INSERT, UPDATE (verdict, bad_session_id, bad_number, bad_release,"
        " bad_at)",
        retention="DELETE",
    ),
    # The worker tells why it opened one again.
    "incidents_entry": immutable(worker="INSERT"),
}
