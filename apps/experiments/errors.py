"""What can go wrong with an experiment."""

from apps.core.errors import DomainError, NotFound


class ExperimentNotFound(NotFound):
    """There is no such experiment in this project."""

    code = "experiment_not_found"


class UnacceptableExperiment(DomainError):
    """This cannot be said of an experiment."""

    code = "unacceptable_experiment"


class ExperimentClosed(DomainError):
    """The experiment is closed: nothing of it is changed any more."""

    code = "experiment_closed"
    is_conflict = True
