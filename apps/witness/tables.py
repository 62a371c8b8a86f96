"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import derived

TABLES = {
    # Everything is looked at once a day, whatever stands here.
    "witness_moved": derived(retention="DELETE"),
    "witness_seen": derived(retention="DELETE"),
    # What a witness has, it says itself.
    "witness_witness": derived(),
}
