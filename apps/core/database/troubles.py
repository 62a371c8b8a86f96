"""What says that the database itself is gone or in need, whatever was asked of it.

Who does one thing after another raises it again, and goes on with all of them once the
database is back. Any other error is of the one thing, and must not hold up the rest.
"""

from __future__ import annotations

from django.db import InterfaceError, OperationalError
from psycopg.errors import LockNotAvailable, ProgramLimitExceeded, QueryCanceled

IN_TROUBLE = (OperationalError, InterfaceError)
# PostgreSQL calls these operational, too: a statement that takes longer than it may,
# or asks for more than there can be, does so whenever it is run.
OF_ONE_THING = (QueryCanceled, ProgramLimitExceeded)


def is_in_trouble(error: Exception, *, with_locks: bool = True) -> bool:
    """Say whether an error is of all that is asked, and not of the one thing.

    Without locks, one that somebody keeps is of the one thing that waited for it.
    """
    if not with_locks and isinstance(error.__cause__, LockNotAvailable):
        return False
    return isinstance(error, IN_TROUBLE) and not isinstance(
        error.__cause__, OF_ONE_THING
    )
