"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

TABLES = {
    "surveys_survey": mutable(
        web="INSERT",
        worker="UPDATE (looked_at)",
        retention="UPDATE (query, check_text)",
    ),
    "surveys_sampled": mutable(
        web="INSERT",
        worker="UPDATE (verdict, is_placed, is_inherited, wrote)",
        retention="DELETE",
    ),
}
