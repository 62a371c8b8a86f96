"""The worker as a process: it works until it is told to stop.

A database that is away stops nobody: the worker says so and tries again, as the web
workers do.
"""

import asyncio
import logging
import signal
from contextlib import suppress

import structlog

from apps.core.monitoring.log import safe_message
from apps.worker import projecting, scheduling

PAUSE_SECONDS = 2.0
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

log = structlog.get_logger("stepback.worker")


def run() -> None:
    """Work until SIGTERM, SIGINT or SIGHUP; what was begun may end in order."""
    scheduling.load_jobs()
    with projecting.projecting():
        asyncio.run(_run())


async def _run() -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in STOPPING:
        loop.add_signal_handler(number, stop.set)
    while not stop.is_set():
        await _until(stop)
        if not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), PAUSE_SECONDS)


async def _until(stop: asyncio.Event) -> None:
    """Work until told to stop, or until work ends by itself."""
    working = asyncio.create_task(scheduling.work())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if stop.is_set():
        _say_nothing_of_given_up_queries()
    working.cancel()
    try:
        await working
    except asyncio.CancelledError:
        return
    except Exception as error:  # noqa: BLE001 - the outermost loop goes on
        log.warning("the worker pauses", why=safe_message(error))


def _say_nothing_of_given_up_queries() -> None:
    """Keep psycopg from warning of each query that the end interrupts.

    Two workers defer the same periodic job; the one that is told to stop meanwhile
    learns that the other was first, and has no use for it.
    """
    logging.getLogger("psycopg").setLevel(logging.ERROR)
