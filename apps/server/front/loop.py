"""Resume each request on the thread that completes the future it awaits.

granian calls Python in one thread of its own. asyncio's loop would wake its thread for
each request and for each piece of a body, and that one the thread that runs Django: an
empty request took 160 µs of a processor, 250 with a body, where WSGI took 70 and 65.
Here the coroutine of a request starts in granian's thread; what it waits for resumes
it at once, in the thread that ended the wait: granian's for a piece of the body, one of
`pools` for its turn. It never runs in two threads at a time, because it waits for one
thing at a time.

Code that granian's thread resumes must not block: all connections wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context
from threading import get_ident
from typing import Any, Protocol, TypeVarTuple, Unpack

from granian import loops

Given = TypeVarTuple("Given")

_NOT_GIVEN: Any = object()
_at_stop: list[Callable[[], None]] = []


class Awaited(Protocol):
    """What a coroutine may wait for: granian's futures, a turn, a held size."""

    def add_done_callback(self, callback: Callable[[Any], None]) -> object: ...

    def result(self) -> object: ...


class Steps:
    """Runs a coroutine from one wait to the next; called with what ended the wait."""

    __slots__ = ("_send", "_throw")

    def __init__(self, coroutine: Coroutine[Awaited, Any, Any]) -> None:
        self._send, self._throw = coroutine.send, coroutine.throw

    def __call__(self, ended: Awaited | None = None) -> None:
        try:
            awaited = self._resume(ended)
        except StopIteration:
            return
        awaited.add_done_callback(self)

    def _resume(self, ended: Awaited | None) -> Awaited:
        if ended is not None:
            try:
                ended.result()
            except BaseException as error:  # noqa: BLE001 - it is the coroutine's
                return self._throw(error)
        return self._send(None)


class ResumingLoop(asyncio.SelectorEventLoop):
    """asyncio's loop in its own thread; elsewhere, what granian schedules runs at once.

    Its own thread is left with signals and the end of the process.
    """

    def __init__(self) -> None:
        super().__init__()
        self._home = get_ident()

    def call_soon_threadsafe(  # type: ignore[override]  # granian drops what it returns
        self,
        callback: Callable[[Unpack[Given]], object],
        *args: *Given,
        context: Context | None = _NOT_GIVEN,
    ) -> object:
        # granian gives a context with what belongs to a request, none at its end.
        if context is _NOT_GIVEN:
            return super().call_soon_threadsafe(callback, *args)
        return callback(*args)

    def call_soon(  # type: ignore[override]  # as above
        self,
        callback: Callable[[Unpack[Given]], object],
        *args: *Given,
        context: Context | None = None,
    ) -> object:
        if get_ident() == self._home:
            return super().call_soon(callback, *args, context=context)
        return callback(*args)

    def create_task(self, coro: Any, **options: Any) -> Any:
        if get_ident() == self._home:
            return super().create_task(coro, **options)
        steps = Steps(coro)
        steps()
        return steps

    def add_signal_handler(
        self,
        sig: int,
        callback: Callable[[Unpack[Given]], object],
        *args: *Given,
    ) -> None:
        def stop() -> None:
            for act in _at_stop:
                act()
            callback(*args)

        super().add_signal_handler(sig, stop)


def at_stop(act: Callable[[], None]) -> None:
    """Call this when the process is asked to stop, before granian waits for its end."""
    _at_stop.append(act)


@loops.register("auto")
def _make() -> ResumingLoop:
    """Make the loop of a worker, by the way that granian documents for it."""
    loop = ResumingLoop()
    asyncio.set_event_loop(loop)
    return loop
