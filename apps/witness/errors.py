"""What can go wrong with roots, as answers say it."""

from apps.core.errors import DomainError, NotFound


class RootNotFound(NotFound):
    """There is no note of this number."""

    code = "root_not_found"


class RootsUnreadable(DomainError):
    """The signed notes cannot be read at this moment, or do not hold."""

    code = "service_unavailable"
