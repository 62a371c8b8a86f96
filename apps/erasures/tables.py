"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import ALL, mutable

TABLES = {
    "erasures_preview": mutable(web="INSERT", retention="UPDATE (value)"),
    "erasures_erasure": mutable(web="INSERT", retention="INSERT, UPDATE"),
    "erasures_target": mutable(web="", retention=ALL),
}
