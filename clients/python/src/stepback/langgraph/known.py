"""What a checkpointer remembers between calls, shared by its threads and loops.

Which session is behind a thread, and which version each checkpoint was when it was
read or saved here: what a save builds on. All of it can be forgotten; then a save
claims nothing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TypeVar

MOST = 10_000
Thread = tuple[str, str]
Place = tuple[str, str, str | None]
Key = TypeVar("Key")
Value = TypeVar("Value")


class Known:
    """Bounded, and safe to be used by several threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: OrderedDict[Thread, str] = OrderedDict()
        self._heads: OrderedDict[Place, int] = OrderedDict()
        self._seen: OrderedDict[Place, int | None] = OrderedDict()

    def session(self, thread: Thread) -> str | None:
        with self._lock:
            return self._sessions.get(thread)

    def keep_session(self, thread: Thread, session_id: str) -> None:
        with self._lock:
            _keep(self._sessions, thread, session_id)

    def head(self, thread: Thread, checkpoint_id: str | None) -> int | None:
        """Return the head that there was when this checkpoint was read or saved."""
        with self._lock:
            return self._heads.get((*thread, checkpoint_id))

    def keep_head(self, thread: Thread, checkpoint_id: str | None, head: int) -> None:
        with self._lock:
            _keep(self._heads, (*thread, checkpoint_id), head)

    def seen(self, thread: Thread, checkpoint_id: str) -> int | None:
        """Return the head as this process first knew it with that checkpoint stored.

        A run on a checkpoint that was set aside since is told from a later one by it.

        Raises: KeyError where it was never saved or read here. None: it was refused.
        """
        with self._lock:
            return self._seen[(*thread, checkpoint_id)]

    def keep_seen(self, thread: Thread, checkpoint_id: str, head: int | None) -> None:
        with self._lock:
            place = (*thread, checkpoint_id)
            before = self._seen.get(place)
            _keep(self._seen, place, head if before is None else before)

    def forget(self, thread_id: str) -> None:
        """Forget what was deleted."""
        with self._lock:
            for kept in (self._heads, self._seen):
                for place in [one for one in kept if one[0] == thread_id]:
                    del kept[place]


def _keep(kept: OrderedDict[Key, Value], key: Key, value: Value) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > MOST:
        kept.popitem(last=False)
