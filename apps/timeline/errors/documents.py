"""What can go wrong with a keyed document, or a shared one."""

from apps.core.errors import DomainError, NotFound


class DocumentNotFound(NotFound):
    """Nothing was stored here yet."""

    code = "document_not_found"


class KeyNotFound(NotFound):
    """Nothing stands under this key."""

    code = "key_not_found"


class DocumentHeld(DomainError):
    """This data is held: nothing can be written to it."""

    code = "data_held"


class DocumentMoved(DomainError):
    """Something was written since you looked: look again."""

    code = "version_conflict"


class EntryChanged(DomainError):
    """What stands under a key is not what you saw."""

    code = "version_conflict"


class ConfigChanged(DomainError):
    """Another config stands now than what was written was checked against."""

    code = "version_conflict"


class NoRoom(DomainError):
    """There would be more keys than are allowed."""

    code = "too_many_keys"


class RestoreTooLarge(DomainError):
    """More keys were touched since than one restore sets."""

    code = "restore_too_large"


class SharedNotFound(NotFound):
    """There is no such shared document: the first write, or lease, makes it."""

    code = "shared_not_found"


class Leased(DomainError):
    """Somebody holds the lease of this document: write under it, or wait."""

    code = "leased"


class FenceStale(DomainError):
    """This fence is not the newest that was handed out: take the lease again."""

    code = "fence_stale"


class LeaseLapsed(DomainError):
    """The time of this lease is over: take it again, and read what changed."""

    code = "lease_lapsed"
