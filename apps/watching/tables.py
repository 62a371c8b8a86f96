"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import ALL, mutable

TABLES = {
    "watching_handover": mutable(web="INSERT", retention="UPDATE (text)"),
    "watching_watch": mutable(retention="DELETE"),
    "watching_notice": mutable(web="DELETE", worker=ALL, retention="DELETE"),
}
