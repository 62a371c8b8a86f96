"""What can go wrong with memories."""

from apps.core.errors import NotFound


class MemoryNotFound(NotFound):
    """There is no such memory, or it was deleted or its session is over."""

    code = "memory_not_found"
