"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

_STANDING = "period_start, warned_at, reached_at, asked_in, approval_id"

TABLES = {
    "guards_budget": mutable(
        web=f"INSERT, DELETE, UPDATE (most, on_reach, warn_percent, more, {_STANDING})",
        worker=f"UPDATE ({_STANDING})",
        retention="DELETE",
    ),
    "guards_pricelist": mutable(web="INSERT"),
}
