"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

# A step is made by the request that began the restore, or by the worker.
_RESTORING = (
    "UPDATE (total, passed, next_key, steps, changed, removed, lapsed, skipped,"
    " config_changed, number, state, code, words, ended_at)"
)

TABLES = {
    # What is hidden is found no more; nothing else of a checkpoint ever changes.
    # Those that are due on a schedule the worker makes.
    "data_checkpoint": mutable(
        web="INSERT, UPDATE (hidden_at)",
        worker="INSERT, UPDATE (hidden_at)",
        # At these versions all values stay.
        retention="",
    ),
    # An exception is ended, nothing else; a write that needs it locks it.
    "data_exception": mutable(web="INSERT, UPDATE (ended_at)"),
    "data_export": mutable(web="INSERT"),
    "data_longrestore": mutable(
        web=f"INSERT, {_RESTORING}", worker=_RESTORING, retention=""
    ),
    "data_release": mutable(web="", worker="INSERT, UPDATE (kept_at)"),
    "data_schedule": mutable(worker="UPDATE (due_at)"),
}
