"""What can go wrong with a plan."""

from apps.core.errors import DomainError, NotFound


class PlanNotFound(NotFound):
    """There is no such plan in this project."""

    code = "plan_not_found"


class PlanConfirmed(DomainError):
    """This plan was confirmed already: it is done once."""

    code = "plan_confirmed"


class NothingPlanned(DomainError):
    """Nothing of this plan can be done: every session is left out."""

    code = "nothing_planned"


class NothingToUndo(DomainError):
    """There is nothing of this plan to undo."""

    code = "nothing_to_undo"


class NoArchive(DomainError):
    """This plan is no export, is not over yet, or exported nothing."""

    code = "no_archive"


class NothingToRetry(DomainError):
    """Nothing of this plan has failed, or it is not over yet."""

    code = "nothing_to_retry"
