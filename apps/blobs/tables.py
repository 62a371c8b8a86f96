"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

TABLES = {
    # The worker collects what nothing names; erasures take what they may.
    "blobs_blob": mutable(
        web="INSERT, UPDATE", worker="UPDATE, DELETE", retention="UPDATE, DELETE"
    ),
    "blobs_grant": mutable(web="INSERT", worker="DELETE", retention="DELETE"),
    # A plan of the worker's may roll back, which names nothing anew.
    "blobs_use": mutable(web="INSERT", retention="INSERT, DELETE"),
}
