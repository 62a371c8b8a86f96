"""Runs the processes of one installation together and ends them together.

Each child lives in a process group whose leader is a small guard: it ends the group
when the supervisor is gone, however it went, so that no worker keeps a port. A child
that leaves by itself ends everything, and is named; one that is `spare` is started
again, because the others do their work without it.
"""

import math
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any, Self

# A spare child is started again, but not more often than this.
AGAIN_SECONDS = 5.0
STOPPING_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# The supervisor holds the other end of the guard's input: when that closes, even by
# SIGKILL, the guard goes on to end its group. It is there before the child is, and
# the child is born into its group, so there is no moment without it. Chosen over
# PR_SET_PDEATHSIG, which reaches the child alone and not the workers it forked.
GUARD = "trap '' TERM INT HUP; read -r _; kill -TERM 0; sleep {grace}; kill -KILL 0"


def _do_without() -> None:
    """Look after nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Child:
    """What to run; `grace` is how long it may take to stop, in seconds."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str] | None = None
    grace: float = 10.0
    is_spare: bool = False


@dataclass(frozen=True, slots=True)
class _Running:
    child: Child
    guard: subprocess.Popen[bytes]
    process: subprocess.Popen[bytes]
    started_at: float


class Supervisor:
    """Use as a context, in the main thread: leaving it stops what it started.

    From entering on, SIGTERM, SIGINT and SIGHUP only ask for an end, so that what is
    done before and after the children run is never cut short. A second signal ends
    the children without waiting for their grace.
    """

    def __init__(self, *, say: Callable[[str], None]) -> None:
        self._say = say
        self._running: list[_Running] = []
        self._signals = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._awake, self._waker = socket.socketpair()
        self._awake.setblocking(False)
        self._waker.setblocking(False)
        self._fd_before = signal.set_wakeup_fd(
            self._waker.fileno(), warn_on_full_buffer=False
        )
        for number in STOPPING_SIGNALS:
            self._before[number] = signal.signal(number, self._ask_to_stop)
        # Without a handler, a child's end would not wake the supervisor.
        self._before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, _do_nothing)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._fd_before)
        self._awake.close()
        self._waker.close()

    @property
    def is_stopping(self) -> bool:
        """Whether somebody asked for an end."""
        return self._signals > 0

    def start(self, child: Child) -> None:
        """Start `child`, unless an end was asked for.

        Raises: OSError if its program cannot be run.
        """
        if self.is_stopping:
            return
        guard = _start_guard(child)
        try:
            process = subprocess.Popen(  # noqa: S603 - the caller's own command
                child.argv,
                env=child.env,
                stdin=subprocess.DEVNULL,
                process_group=guard.pid,
            )
        except OSError:
            _end_group(guard)
            raise
        self._running.append(_Running(child, guard, process, time.monotonic()))

    def wait(self, *, meanwhile: Callable[[], None] = _do_without) -> int:
        """Wait for a signal or the end of a child, stop all, return the exit status.

        0 when an end was asked for; a child's own status, at least 1, when it left.
        `meanwhile` is called about every second, in this thread.
        """
        while not self.is_stopping and (gone := self._gone()) is None:
            self._start_again()
            meanwhile()
            self._sleep(1.0)
        status = 0
        if not self.is_stopping and gone is not None:
            status = self._tell(gone)
        self.stop()
        return status

    def stop(self) -> None:
        """Stop all children, the last one started first."""
        while self._running:
            self._stop(self._running[-1])
            self._running.pop()

    def _stop(self, running: _Running) -> None:
        if running.process.poll() is None:
            running.process.terminate()
            self._wait_for(running)
        # Also when it left in order: its own children may not have.
        _end_group(running.guard)
        running.process.wait()

    def _wait_for(self, running: _Running) -> None:
        patience = max(self._signals, 1)
        deadline = time.monotonic() + running.child.grace
        while running.process.poll() is None:
            left = deadline - time.monotonic()
            if left <= 0 or self._signals > patience:
                self._say(f"{running.child.name} did not stop in time: killed.")
                return
            self._sleep(left)

    def _gone(self) -> _Running | None:
        """Return a child that left and is missed."""
        return next((one for one in self._left() if not one.child.is_spare), None)

    def _left(self) -> list[_Running]:
        return [one for one in self._running if one.process.poll() is not None]

    def _start_again(self) -> None:
        """Start what left and is not missed, after a pause if it left early."""
        for left in self._left():
            if time.monotonic() - left.started_at < AGAIN_SECONDS:
                continue
            self._say(f"{left.child.name} ended by itself, {_how(left)}: again.")
            _end_group(left.guard)
            self._running.remove(left)
            self.start(left.child)

    def _tell(self, gone: _Running) -> int:
        self._say(
            f"{gone.child.name} ended by itself, {_how(gone)}: stopping everything."
        )
        return max(gone.process.returncode, 1)

    def _sleep(self, seconds: float) -> None:
        """Sleep until a signal arrives, at most `seconds`."""
        ready, _, _ = select.select([self._awake], [], [], seconds)
        if ready:
            with suppress(BlockingIOError):
                self._awake.recv(4096)

    def _ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1


def _how(gone: _Running) -> str:
    status = gone.process.returncode
    return f"with status {status}" if status >= 0 else f"by signal {-status}"


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """Exist, because an ignored signal wakes nobody."""


def _start_guard(child: Child) -> subprocess.Popen[bytes]:
    script = GUARD.format(grace=math.ceil(child.grace))
    return subprocess.Popen(  # noqa: S603 - our own script
        ["/bin/sh", "-c", script, f"guard of {child.name}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )


def _end_group(guard: subprocess.Popen[bytes]) -> None:
    """Kill what is left of a group.

    Its number cannot be anybody else's yet: the guard, whose pid it is, is waited
    for only afterwards.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(guard.pid, signal.SIGKILL)
    if guard.stdin is not None:
        guard.stdin.close()
    guard.wait()
