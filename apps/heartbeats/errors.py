"""What can go wrong with heartbeats."""

from apps.core.errors import DomainError, NotFound


class HeartbeatNotFound(NotFound):
    """No heartbeat is expected here."""

    code = "heartbeat_not_found"


class UnacceptableHeartbeat(DomainError):
    """This is no time within which anything can be expected."""

    code = "unacceptable_heartbeat"
