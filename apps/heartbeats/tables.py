"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

TABLES = {
    "heartbeats_heartbeat": mutable(
        web="INSERT, DELETE, UPDATE (every, due_at, is_default)",
        # The sweep tells who is silent, and gives new sessions their agent's.
        worker="INSERT, DELETE, UPDATE (due_at, silent_since)",
        retention="DELETE",
    ),
    "heartbeats_agentheartbeat": mutable(web="INSERT, DELETE, UPDATE (every)"),
}
