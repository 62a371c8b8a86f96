"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

# The worker migrates as well, and whoever does notes that it was used.
_RIGHTS = {"web": "INSERT, DELETE, UPDATE (used_at)", "worker": "UPDATE (used_at)"}

TABLES = {
    "schemas_agentschema": mutable(**_RIGHTS),
    "schemas_schemamigration": mutable(**_RIGHTS),
}
