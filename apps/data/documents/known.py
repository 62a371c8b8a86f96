"""What this process has found out about agents.

Plain reads and writes ask for it: what can be otherwise by now they name where they
take effect, and nothing is done by what does not stand any more.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
MOST = 10_000


@dataclass(slots=True)
class Known(Generic[K, V]):
    """The newest facts, by what they are about."""

    _facts: OrderedDict[K, V] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, about: K) -> V | None:
        return self._facts.get(about)

    def learn(self, about: K, fact: V) -> None:
        """Keep a fact, and forget the oldest beyond so many."""
        if self._facts.get(about) == fact:
            return
        with self._lock:
            self._facts[about] = fact
            self._facts.move_to_end(about)
            while len(self._facts) > MOST:
                self._facts.popitem(last=False)


# The id of an agent and that of its document, by its project and what it is called
# there: ids sort by the time they were made, and agents are never removed nor renamed
# by what their code calls them.
AGENTS: Known[tuple[str, str], tuple[str, str]] = Known()
# By a document, the commitment to a config and whether reads are recorded by it; of no
# config it is empty. Another config has another one.
RECORDS: Known[str, tuple[bytes, bool]] = Known()
# By a document, the version that set its config, and the commitment to it.
CONFIGS: Known[str, tuple[int, bytes]] = Known()
# By a project, the policies that hold for all its agents.
FLOORS: Known[str, str] = Known()
# No config has this commitment.
UNKNOWN_CONFIG = b"-"
