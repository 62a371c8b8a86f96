"""Remember who holds a secret, for writes whose key is checked where they are stored.

A key's project, scope, agents and limit never change. Whether it still opens does: so
this may only be asked by what has the key looked at again before it takes effect.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime, timedelta

from apps.accounts import authentication, secrets
from apps.accounts.access import Caller

# Shorter than a key's use is noted (`authentication.USE_RESOLUTION`), so that a key in
# use is looked up, and its use noted, as often as without this.
REMEMBERED_FOR = timedelta(seconds=30)
MOST = 10_000


class RecognisedCallers:
    """Callers by the digest of their secret, the oldest forgotten first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._callers: OrderedDict[bytes, tuple[Caller, datetime]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, secret: str, *, now: datetime) -> Caller:
        """Return whose secret this is, or was within the half minute.

        Raises: AuthenticationFailed.
        """
        digest = secrets.digest(secret)
        known = self._callers.get(digest)
        if known is not None and known[1] > now:
            return known[0]
        caller = authentication.caller_for_secret(secret=secret, now=now)
        with self._lock:
            self._callers[digest] = caller, now + REMEMBERED_FOR
            self._callers.move_to_end(digest)
            while len(self._callers) > self._most:
                self._callers.popitem(last=False)
        return caller

    def clear(self) -> None:
        """Forget all: the database they were found in is another's."""
        with self._lock:
            self._callers.clear()


CALLERS = RecognisedCallers()
