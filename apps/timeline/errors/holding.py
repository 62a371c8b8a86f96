"""What a hold keeps from being done, and why a session is not held or judged."""

from apps.core.errors import DomainError
from apps.timeline.words import Hold


class SessionPaused(DomainError):
    """This session is paused: agents cannot write to it until it is resumed."""

    code = "session_paused"


class SessionClosed(DomainError):
    """This session is closed: it can be read and forked, but not written."""

    code = "session_closed"


class BudgetReached(DomainError):
    """A budget paused this session: agents cannot write to it until it is resumed."""

    code = "budget_reached"


# The reason code of a version `pause` that a budget has made.
BUDGET = "budget_reached"


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
