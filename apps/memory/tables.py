"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import derived, immutable, mutable

TABLES = {
    # It follows from the entries of the documents, and is written with them.
    "memory_memory": derived(web="INSERT, UPDATE, DELETE"),
    # Noted by the context of a session, which only reads otherwise.
    "memory_contextread": immutable(),
    "memory_formation": mutable(
        web="INSERT, UPDATE (mode, project_id)",
        worker="UPDATE (given_up, failed_at, reason)",
    ),
    # Noted when a turn is fed, and taken away once it has formed what it says.
    "memory_formingturn": mutable(
        web="",
        worker="INSERT, UPDATE (attempts, retry_at, answer), DELETE",
        retention="DELETE",
    ),
}
