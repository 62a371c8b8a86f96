"""Waiting, in both ways: a thread sleeps, a task lets others run."""

from __future__ import annotations

import asyncio
import time


async def pause_async(seconds: float) -> None:
    await asyncio.sleep(seconds)


def pause(seconds: float) -> None:
    time.sleep(seconds)
