"""The classes of the tables that belong to no app of ours; see `core.roles`."""

from apps.core.roles.declared import mutable

TABLES = {
    # Which there were is no secret; Django's commands ask before they do anything.
    "django_migrations": mutable(web=""),
}
