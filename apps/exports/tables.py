"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

TABLES = {
    "exports_export": mutable(
        web="INSERT", worker="UPDATE", retention="UPDATE (state)"
    ),
    "exports_piece": mutable(web="", worker="INSERT, DELETE", retention="DELETE"),
}
