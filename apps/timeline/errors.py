"""What can go wrong with a session, in its own words."""

from apps.core.errors import DomainError, NotFound
from apps.timeline.words import Hold


class SessionNotFound(NotFound):
    """There is no such session, or it has expired or was deleted."""

    code = "session_not_found"


class VersionNotFound(NotFound):
    """This session has no such version."""

    code = "version_not_found"


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


class VersionConflict(DomainError):
    """The session has moved on: its head is not the version you named."""

    code = "version_conflict"


class VersionMismatch(DomainError):
    """If-Match names a version that is not the head."""

    code = "version_mismatch"


class NothingToRollBack(DomainError):
    """The version to restore is the head itself: nothing would change."""

    code = "nothing_to_roll_back"


class NoRollback(DomainError):
    """That version is no rollback: there is nothing to undo."""

    code = "no_rollback"


class BodyNotVerified(DomainError):
    """What is stored of this version is not what was committed to: nothing was done."""

    code = "body_not_verified"


class ExternalIdTaken(DomainError):
    """Another session of this project has that external id."""

    code = "external_id_taken"


class HandoffNotVerified(DomainError):
    """This handoff was not issued here, was changed, or no longer fits its version."""

    code = "handoff_not_verified"


class SessionPaused(DomainError):
    """This session is paused: agents cannot write to it until it is resumed."""

    code = "session_paused"


class SessionClosed(DomainError):
    """This session is closed: it can be read and forked, but not written."""

    code = "session_closed"


def held(hold: str, head: int) -> SessionPaused | SessionClosed:
    """Return what a hold answers to those whom it keeps from writing."""
    return (SessionPaused if hold == Hold.PAUSED else SessionClosed)(head=head)


class NotPaused(DomainError):
    """Only a paused session can be resumed."""

    code = "not_paused"


class ReviewReplaced(DomainError):
    """This review counts no more: somebody has reviewed the session since."""

    code = "review_replaced"


class AlreadyPaused(DomainError):
    """This session is paused already."""

    code = "already_paused"


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
