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


class PlanNotLooked(DomainError):
    """The dry run of this plan is not over: nothing can be done before it is."""

    code = "plan_not_looked"


class PlanChanged(DomainError):
    """What would be done is not what was seen: read the plan, or have it looked at."""

    code = "plan_changed"


class PlanNotRunning(DomainError):
    """This plan does not run, or is not paused."""

    code = "plan_not_running"


class PlanRunning(DomainError):
    """This plan still runs: stop it, or wait until it is over."""

    code = "plan_running"


class NotPickable(DomainError):
    """These sessions cannot be picked: they are left out, or not in the plan."""

    code = "not_pickable"
