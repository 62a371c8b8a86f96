"""What says that the database itself is gone or in need, whatever was asked of it.

Who does one thing after another raises it again, and goes on with all of them once the
database is back. Any other error is of the one thing, and must not hold up the rest.
"""

from __future__ import annotations

from django.db import InterfaceError, OperationalError

IN_TROUBLE = (OperationalError, InterfaceError)
