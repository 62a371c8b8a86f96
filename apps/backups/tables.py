"""The classes of this app's tables, from which grants follow; see `core.roles`.

The owner alone makes backups and writes down that it did; all others read it.
"""

from apps.core.roles.declared import mutable

TABLES = {
    "backups_backup": mutable(web="", retention=""),
    "backups_attempt": mutable(web="", retention=""),
}
