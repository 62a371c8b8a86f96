"""What is not there, or is there no longer."""

from apps.core.errors import DomainError, InvalidRequest, NotFound


class SessionNotFound(NotFound):
    """There is no such session, or it has expired or was deleted."""

    code = "session_not_found"


class VersionNotFound(NotFound):
    """This session has no such version."""

    code = "version_not_found"


class FileNotFound(NotFound):
    """This version has no file at this path."""

    code = "file_not_found"


class VersionPruned(DomainError):
    """This version was removed: a tombstone stands for it."""

    code = "version_pruned"


class ContentsErased(DomainError):
    """What this version held was erased; its header stands."""

    code = "contents_erased"


class RangeRefused(InvalidRequest):
    """There are no such versions to look through, or none in this order."""

    code = "unacceptable_range"


class TurnNotFound(NotFound):
    """This session has no such turn."""

    code = "turn_not_found"


class SummaryNotFound(NotFound):
    """This session has no such summary."""

    code = "summary_not_found"


class TraceNotFound(NotFound):
    """There is no such trace."""

    code = "trace_not_found"


class LabelNotFound(NotFound):
    """This version does not carry that label."""

    code = "label_not_found"


class PointerNotFound(NotFound):
    """There is nothing at this pointer in that version of the state."""

    code = "pointer_not_found"
