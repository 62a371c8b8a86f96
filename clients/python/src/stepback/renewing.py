"""Renewing a lease while work goes on, in both ways: a task, or a thread.

A renewal that does not get through is tried again: the lease may still hold. Once the
server says that it is lost nothing is renewed any more, and writes under it are
refused.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

from stepback.errors.sharing import LeaseLost
from stepback.failures import StepbackError


class AsyncRenewing:
    """Call `renew` every so many seconds until the block is left."""

    def __init__(self, renew: Callable[[], Awaitable[object]], every: float) -> None:
        self._renew = renew
        self._every = every

    async def __aenter__(self) -> AsyncRenewing:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *raised: object) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._every)
            try:
                await self._renew()
            except LeaseLost:
                return
            except StepbackError:
                continue


class Renewing:
    """As `AsyncRenewing`, in a thread of its own."""

    def __init__(self, renew: Callable[[], object], every: float) -> None:
        self._renew = renew
        self._every = every
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Renewing:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._every):
            try:
                self._renew()
            except LeaseLost:
                return
            except StepbackError:
                continue
