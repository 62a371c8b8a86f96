"""Has a backup made every day, by a process of its own that ends with it.

`up` alone knows the owner's login, with which all of a database can be read; no
process that goes on has it. Asked every hour, so that one that failed is tried again,
and whoever was down at night makes it in the morning; and as soon as somebody was
erased, so that the journal beside the backups says so.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

from django.conf import settings

from apps.core.notes import keys
from apps.core.notes.folder import Folder
from apps.core.roles.logins import url_of
from apps.core.roles.names import Role
from apps.server.environments import environment

EVERY_SECONDS = 3600.0
# The first page should not wait for it.
FIRST_SECONDS = 10.0
# Between looks for who was erased: two folders are listed.
JOURNAL_SECONDS = 5.0
GRACE_SECONDS = 10.0

Say = Callable[[str], None]


class Daily:
    """Starts `manage.py backups --if-due` every hour, and when somebody was erased.

    Use `look` about every second.
    """

    def __init__(
        self, say: Say, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say = say
        self._clock = clock
        self._next = clock() + FIRST_SECONDS
        self._next_journal = clock()
        self._journal = self._newest()
        self._running: subprocess.Popen[bytes] | None = None

    def look(self) -> None:
        """Start one that is due; tell of one that failed."""
        if self._running is not None and self._running.poll() is not None:
            if self._running.returncode:
                self._say("No backup was made: the line above says why.")
            self._running = None
        if self._running is None and self._is_due():
            self._next = self._clock() + EVERY_SECONDS
            self._running = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, str(settings.BASE_DIR / "manage.py"), *COMMAND],
                env=environment(Role.OWNER, url=url_of(Role.OWNER)),
                stdin=subprocess.DEVNULL,
            )

    def _is_due(self) -> bool:
        """Say whether to ask now; what was entered since then is asked for again."""
        if self._clock() >= self._next_journal:
            self._next_journal = self._clock() + JOURNAL_SECONDS
            newest = self._newest()
            if newest != self._journal:
                self._journal = newest
                return True
        return self._clock() >= self._next

    def _newest(self) -> int:
        try:
            return Folder(keys.erasures_path()).newest()
        except OSError:
            return 0

    def close(self) -> None:
        """End one that runs; what it has not stored, the next one makes."""
        if self._running is None:
            return
        self._running.terminate()
        try:
            self._running.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._running.kill()
            self._running.wait()
        self._running = None


COMMAND = ("backups", "--if-due")
