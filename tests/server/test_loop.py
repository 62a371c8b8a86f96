"""The loop: a coroutine goes on in the thread that ends what it waits for."""

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any

import pytest

from apps.server.front import loop as module
from apps.server.front.loop import ResumingLoop, Steps
from tests.server.running import Pending, Run


@pytest.fixture
def loop() -> Iterator[ResumingLoop]:
    made = ResumingLoop()
    yield made
    made.close()


def elsewhere(act: Any) -> Any:
    """Run this in another thread, as granian does; return what it returns."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(act()))
    thread.start()
    thread.join()
    return found[0]


def test_it_goes_on_in_the_thread_that_ends_its_wait() -> None:
    first, second = Pending(), Pending()
    seen: list[int] = []

    async def work() -> str:
        for pending in (first, second):
            seen.append(threading.get_ident())
            await pending
        seen.append(threading.get_ident())
        return "done"

    run = Run(work())
    other = elsewhere(lambda: (first.end(), threading.get_ident())[1])
    second.end()

    assert run.value == "done"
    assert seen == [threading.get_ident(), other, threading.get_ident()]


def test_an_error_that_ends_a_wait_is_raised_where_it_waits() -> None:
    waited: Future[None] = Future()

    class Awaitable:
        def __await__(self) -> Any:
            yield waited

    async def work() -> str:
        try:
            await Awaitable()
        except LookupError as error:
            return str(error)
        return "nothing"

    run = Run(work())
    waited.set_exception(LookupError("it is gone"))

    assert run.value == "it is gone"


def test_what_granian_schedules_runs_at_once_in_its_thread(loop: ResumingLoop) -> None:
    ran: list[str] = []

    async def request() -> None:
        ran.append("request")

    def granian() -> None:
        def schedule() -> None:
            loop.create_task(request())

        loop.call_soon_threadsafe(schedule, context=copy_context())
        loop.call_soon(ran.append, "callback", context=None)

    elsewhere(granian)

    assert ran == ["request", "callback"]


def test_its_own_thread_has_the_usual_loop(loop: ResumingLoop) -> None:
    async def wait() -> str:
        woken = asyncio.Event()
        threading.Timer(0.01, loop.call_soon_threadsafe, [woken.set]).start()
        await asyncio.wait_for(woken.wait(), 10)
        return "woken"

    assert loop.run_until_complete(wait()) == "woken"


def test_before_it_stops_others_are_told(
    loop: ResumingLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    monkeypatch.setattr(module, "_at_stop", [])
    module.at_stop(lambda: order.append("told"))

    def stop(said: str) -> None:
        order.append(said)
        loop.stop()

    loop.add_signal_handler(signal.SIGUSR1, stop, "stopped")
    loop.call_soon(os.kill, os.getpid(), signal.SIGUSR1)
    loop.run_forever()

    assert order == ["told", "stopped"]


def test_a_coroutine_that_ends_at_once_waits_for_nothing() -> None:
    async def work() -> None:
        pass

    Steps(work())()
