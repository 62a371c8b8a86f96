"""Remember the heads that this process stored, so that the next write reads none.

A remembered head may have been replaced by another process, lost in a failover or held
back since. So it is a guess: the append names its number and its chain value, the SQL
function compares both under the session's lock, and whatever a guess leads to other
than a stored version is asked again on the head as it is.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

from apps.agents.scope import Scope
from apps.core.processes.shared_hints import VARIABLE, SharedHints
from apps.timeline.versions.rows import UNREAD, VersionRow

MOST_BYTES = 48 * 1024 * 1024
# What a row takes beside its body, and each change that it shows: 2.5 kB together for
# a row with two (measured); a shown change has at most 900 characters.
ROW_BYTES = 2_000
CHANGE_BYTES = 900
# A larger one is read in a fraction of the time that working on it takes, and must
# wait at the gate for it.
LARGEST = 256 * 1024


class RememberedHeads:
    """Heads by session, the least recently used dropped first; safe between threads.

    Bodies count with the bytes of their parts: parsed states are not kept, which
    takes ten times as much. `shared`: the file by which workers tell of newer heads.
    """

    def __init__(
        self,
        max_bytes: int = MOST_BYTES,
        *,
        shared: Callable[[], str | None] = lambda: os.environ.get(VARIABLE),
    ) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._heads: OrderedDict[str, VersionRow] = OrderedDict()
        self._lock = threading.Lock()
        self._shared_file = shared

    @cached_property
    def _hints(self) -> SharedHints | None:
        """Opened by the first use: before it, the worker may not be forked yet."""
        path = self._shared_file()
        return SharedHints(path) if path else None

    def get(self, scope: Scope, session_id: str) -> VersionRow | None:
        """Return the head as remembered here, unless another worker's is newer.

        What a project has stored must not even show in what another is refused with;
        who is limited to some agents has the session looked up with its agent.
        """
        if scope.agents is not None:
            return None
        with self._lock:
            head = self._heads.get(session_id)
            if head is None or head.project_id != scope.project.id:
                return None
            self._heads.move_to_end(session_id)
        newest = None if self._hints is None else self._hints.newest(session_id)
        if newest is not None and newest > head.number:
            self.forget(session_id)
            return None
        return head

    def put(self, head: VersionRow) -> None:
        """Remember a head that is committed; an older one than is here changes nothing.

        Two writers of one session may come here in another order than they committed.
        """
        if head.raw is None or head.rollback is UNREAD:
            return
        if self._hints is not None:
            self._hints.tell(head.session_id, head.number)
        if len(head.raw) > LARGEST:
            self.forget(head.session_id)
            return
        if head.parsed is not None or head.leaves is not None:
            head = replace(head, parsed=None, leaves=None)
        with self._lock:
            known = self._heads.get(head.session_id)
            if known is not None and known.number > head.number:
                return
            self._drop(head.session_id)
            self._heads[head.session_id] = head
            self._bytes += _size(head)
            while self._bytes > self._max_bytes:
                self._drop(next(iter(self._heads)))

    def forget(self, session_id: str) -> None:
        """Drop the session's head: it was a wrong guess, or its history is erased."""
        with self._lock:
            self._drop(session_id)

    def __len__(self) -> int:
        """Return how many sessions have their head here."""
        return len(self._heads)

    def _drop(self, session_id: str) -> None:
        head = self._heads.pop(session_id, None)
        if head is not None:
            self._bytes -= _size(head)


def _size(head: VersionRow) -> int:
    texts = len(head.raw or b"") + len(head.reasoning or "")
    return ROW_BYTES + CHANGE_BYTES * len(head.changes) + texts


heads = RememberedHeads()
