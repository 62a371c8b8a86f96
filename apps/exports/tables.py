"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

TABLES = {
    # An erasure ends those of its project, and empties what names the person.
    "exports_export": mutable(
        web="INSERT", worker="UPDATE", retention="UPDATE (state, asked)"
    ),
    "exports_piece": mutable(web="", worker="INSERT, DELETE", retention="DELETE"),
}
