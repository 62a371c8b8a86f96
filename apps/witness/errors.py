"""What can go wrong with roots, as answers say it."""

from apps.core.errors import NotFound


class RootNotFound(NotFound):
    """There is no note of this number."""

    code = "root_not_found"
