"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

TABLES = {
    # Requests make, confirm and retry plans; the worker looks and does them. A row lock
    # takes UPDATE, so both have it of what changes alone: the list stays as it is.
    "plans_plan": mutable(
        web="INSERT, UPDATE (status, digest, pace, crosses, reason, runs_as_kind,"
        " runs_as_id, runs_as_label, request_id, confirmed_at, finished_at)",
        # And removes what was never confirmed.
        worker="UPDATE (status, finished_at, digest), DELETE",
        retention="UPDATE (query, params)",
    ),
    "plans_item": mutable(
        web="INSERT, UPDATE (state, code, words, number, target, verdict, about)",
        worker="UPDATE (state, code, words, number, target, verdict, about,"
        " result_number, size, done_at), DELETE",
        retention="DELETE",
    ),
}
