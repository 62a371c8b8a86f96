"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import ALL, derived, mutable

_TRIED = (
    "status, after_id, sessions, versions, unreadable, sessions_failed, days,"
    " examples, finished_at"
)
_STANDING = "period_start, warned_at, reached_at, asked_in, approval_id"

TABLES = {
    "guards_budget": mutable(
        web=f"INSERT, DELETE, UPDATE (most, on_reach, warn_percent, more, {_STANDING})",
        worker=f"UPDATE ({_STANDING})",
        retention="DELETE",
    ),
    "guards_guard": mutable(
        web="INSERT, UPDATE (name, mode, revision, rule, withdrawn_at)",
    ),
    "guards_guardrevision": mutable(web="INSERT"),
    "guards_verdict": derived(web="INSERT, DELETE", worker=ALL),
    "guards_refusal": mutable(web="INSERT", worker="DELETE", retention="DELETE"),
    # The worker looks on; a removal takes sessions out of the examples.
    "guards_trial": mutable(
        web="INSERT", worker=f"UPDATE ({_TRIED})", retention="UPDATE (examples)"
    ),
    "guards_pricelist": mutable(web="INSERT"),
}
