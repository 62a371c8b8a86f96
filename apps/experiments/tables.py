"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

TABLES = {
    "experiments_experiment": mutable(
        web="INSERT, UPDATE (name, status, closed_at)",
        retention="UPDATE (name, checks, session_id)",
    ),
    "experiments_variant": mutable(web="INSERT", retention="DELETE"),
}
