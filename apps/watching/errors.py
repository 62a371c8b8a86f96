"""What can go wrong with a watch."""

from apps.core.errors import NotFound


class NotWatched(NotFound):
    """You do not watch this."""
