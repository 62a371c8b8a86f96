"""The journal of erasures: certificates, one a file, outside the database.

A backup holds what was erased since: whoever restores one reads here what must not
come back. Entries are numbered, each names the one before, and they are signed with the
key that signs notes, where there is one.
"""

from apps.erasures.journal.entries import (
    Entry,
    appended,
    entries,
    is_there,
    make,
    newest,
    number_of,
    opened_certificate,
    read_entry,
)

__all__ = [
    "Entry",
    "appended",
    "entries",
    "is_there",
    "make",
    "newest",
    "number_of",
    "opened_certificate",
    "read_entry",
]
