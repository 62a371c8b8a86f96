"""Why a write to a session is refused."""

from apps.core.errors import DomainError, NotFound


class VersionSetAside(DomainError):
    """A rollback has set this version aside: what was decided on it counts no more."""

    code = "version_set_aside"


class DeadlinePassed(DomainError):
    """This moment is over already."""

    code = "deadline_passed"


class VersionConflict(DomainError):
    """The session has moved on: its head is not the version you named."""

    code = "version_conflict"


class VersionMismatch(DomainError):
    """If-Match names a version that is not the head."""

    code = "version_mismatch"


class NothingToRollBack(DomainError):
    """The version to restore is the head itself: nothing would change."""

    code = "nothing_to_roll_back"


class ReasonRequired(DomainError):
    """This project requires a reason of a rollback: say why in `reasoning`."""

    code = "reason_required"


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


class UnacceptableUsage(DomainError):
    """This is not what a turn can have used."""

    code = "unacceptable_usage"


class UsageCurrency(DomainError):
    """The turns of this session cost in another currency."""

    code = "usage_currency"


class TaskNotFound(NotFound):
    """The head has no task of this id."""

    code = "task_not_found"


class TaskAmbiguous(DomainError):
    """Several tasks of the head have this id: send the list, with ids that differ."""

    code = "task_ambiguous"


class UnacceptableFact(DomainError):
    """This is no fact that can be kept, or held to what is so."""

    code = "unacceptable_fact"


class AssumptionsChanged(DomainError):
    """What the session rests on has changed, or nobody knows whether it has."""

    code = "assumptions_changed"
