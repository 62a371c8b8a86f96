"""What a failing database means to a caller, decided by SQLSTATE class alone.

Never by constraint names or message texts: those change, and may hold values.
"""

import psycopg
import psycopg_pool
from django.db import Error, InterfaceError, OperationalError

from apps.core.errors import Busy, DomainError, OutcomeUnknown

# Not that nothing was stored: a time-out may hit what is read for the answer of a write
# that is committed.
NOT_DONE = (
    "The database could not do this now: retry shortly, a write with the same "
    "idempotency key."
)
UNKNOWN = (
    "The database did not answer: outcome unknown, retry with the same idempotency key."
)


class StorageFull(DomainError):
    """The database has no space left; nothing was stored."""

    code = "insufficient_storage"


class DatabaseFault(DomainError):
    """Something went wrong on our side."""

    code = "internal_error"


# The statement was refused or rolled back as a whole: time-outs, deadlocks, lost
# races, a server that is full, read-only or still starting.
_NOT_DONE_STATES = ("57014", "55P03", "40001", "40P01", "25006", "25P0", "53", "57P03")
_UNKNOWN_STATES = ("XX", "58", "08", "57P")


def database_problem(error: Error | psycopg.Error) -> DomainError:
    """Translate an error of Django's or the driver's; what is our bug stays a 500."""
    cause = error.__cause__ if isinstance(error, Error) else error
    if isinstance(cause, psycopg_pool.PoolTimeout | psycopg_pool.TooManyRequests):
        return Busy(NOT_DONE)
    state = getattr(cause, "sqlstate", None) or ""
    if state == "53100":
        return StorageFull()
    if state.startswith(_NOT_DONE_STATES):
        return Busy(NOT_DONE)
    if state.startswith(_UNKNOWN_STATES) or (not state and _is_connection_loss(error)):
        return OutcomeUnknown(UNKNOWN)
    return DatabaseFault()


def _is_connection_loss(error: Error | psycopg.Error) -> bool:
    return isinstance(
        error,
        OperationalError
        | InterfaceError
        | psycopg.OperationalError
        | psycopg.InterfaceError,
    )
