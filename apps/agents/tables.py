"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

# The worker derives anew what waits, once an agent has other rules.
TABLES = {
    "agents_agent": mutable(
        web="INSERT, UPDATE", worker="UPDATE (remap_after, remapped_to)", retention=""
    )
}
