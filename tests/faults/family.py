"""Which processes came from which, read from /proc."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

GONE = (FileNotFoundError, ProcessLookupError)


def children(parent: int) -> list[int]:
    """Return the pids of its living children."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(*GONE):
            state, above = entry.read_text().rpartition(")")[2].split()[:2]
            if int(above) == parent and state != "Z":
                found.append(int(entry.parent.name))
    return found


def descendants(parent: int) -> list[int]:
    """Return all that came from it, parents first."""
    found = children(parent)
    for pid in found:  # grows while it is read
        found += children(pid)
    return found


def called(name: str, parent: int) -> list[int]:
    """Return those of its descendants whose command line has the name."""
    return [pid for pid in descendants(parent) if name.encode() in command(pid)]


def kill_all(parent: int) -> None:
    """Kill a process and its children, so that none of them ends in order."""
    for pid in (parent, *children(parent)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except GONE:
        return b""


def wait_for(is_so: Callable[[], object], seconds: float) -> bool:
    """Whether it became so in time."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
