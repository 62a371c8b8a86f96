"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import derived

# All of it follows from histories: `manage.py embed` makes it anew.
TABLES = {
    # A new memory is stored with the vector that it was compared by.
    "meaning_vector": derived(web="INSERT"),
    "meaning_stream": derived(),
    "meaning_failure": derived(),
    "meaning_pastvector": derived(),
    "meaning_paststream": derived(),
    "meaning_backfill": derived(),
}
