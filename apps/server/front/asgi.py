"""Serve a WSGI application as an ASGI one, with admission control in front of it.

granian calls it for each request, once the headers are complete. It receives the body
without a thread (`bodies`), waits for a turn in the thread pool for this kind of caller
(`pools`) and then calls Django in that thread. Django renders refusals as well, so each
response has the usual form, a line in the log and its count.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from threading import Lock, Thread
from time import monotonic, perf_counter, sleep
from typing import Any, Protocol

import structlog

from apps.core.errors import Busy, DomainError, InvalidRequest
from apps.core.processes import addresses
from apps.core.processes.served import CAME_AT, LOST, REFUSED
from apps.server.front import connections, loop
from apps.server.front.answers import Answer, Application, answer_of
from apps.server.front.bodies import SWEEP_SECONDS, Arrival, Bodies, Receive
from apps.server.front.departures import Departures, Send
from apps.server.front.environ import Environ, Scope, environ_of
from apps.server.front.pools import make_pools

log = structlog.get_logger(__name__)

PROBES = ("/health", "/health/ready")
LIVE = "/health/live"
EVERYBODY = "everybody"
# The most that is taken from those who are not known: a form to sign in with.
UNKNOWN_BYTES = 64 * 1024
# Where even those who say no have too much to do.
OVERRUN: dict[str, Any] = {
    "type": "http.response.start",
    "status": 503,
    "headers": [(b"retry-after", b"2"), (b"content-length", b"0")],
}
BROKEN: dict[str, Any] = {
    "type": "http.response.start",
    "status": 500,
    "headers": [(b"content-length", b"0")],
}


class Recognition(Protocol):
    """Classify requests by their credentials; `visitors.Visitors` implements it."""

    def presented(self, environ: Environ) -> Any: ...

    def share_of(self, presented: Any) -> str | None: ...

    def find(self, presented: Any) -> str | None: ...

    def forget(self, presented: Any) -> None: ...


@dataclass(slots=True)
class _Visit:
    """One request, and what it holds until Django has answered it."""

    environ: Environ
    receive: Receive
    # What it brings to be known by.
    presented: Any
    arrival: Arrival | None = None


class _Unread:
    """Stand in for the unread body of a request whose key was not recognised.

    If Django authenticates it after all, the key was created at this moment, or the
    database did not answer when it was looked up: the next try finds it.
    """

    def read(self, size: int = -1) -> bytes:
        """Raises: Busy."""
        raise Busy("The key was not known yet; nothing was done. Retry shortly.")

    readline = read


class Front:
    """Admit and run the requests of one process. Without `visitors` all are known."""

    def __init__(
        self,
        application: Application,
        *,
        largest: int,
        visitors: Recognition | None = None,
    ) -> None:
        self._application = application
        self._largest = largest
        self._visitors = visitors
        self._pools = make_pools()
        self._bodies = Bodies(largest=largest)
        self._departures = Departures()
        self._is_watching = False
        self._starting = Lock()
        loop.at_stop(self._bodies.stop)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_watching:
            self._watch()
        environ = environ_of(scope)
        environ[CAME_AT] = perf_counter()
        environ["wsgi.input"] = BytesIO()
        presented = self._visitors and self._visitors.presented(environ)
        visit = _Visit(environ, receive, presented)
        try:
            answer = await self._answer(visit, send)
        finally:
            self._release(visit)
        if answer.is_large:
            # Of the request nothing is left while its reader takes his time.
            await send(answer.start)
            await self._departures.send(answer.body, send)

    async def _answer(self, visit: _Visit, send: Send) -> Answer:
        """Call Django in a thread; send what it answers, unless that is large."""
        try:
            await self._reach_thread(visit)
        except Busy:
            answer = Answer(OVERRUN)
        else:
            answer = self._called(visit.environ)
        try:
            if not answer.is_large:
                answer.send(send)
        except Exception:
            log.exception("an answer broke off")
            # Left open, it would end as if the answer were whole.
            environ = visit.environ
            connections.cut((environ["REMOTE_ADDR"], int(environ["REMOTE_PORT"])))
        finally:
            answer.close()
        return answer

    def _called(self, environ: Environ) -> Answer:
        """Call Django, which answers its own errors; granian would log what is left."""
        try:
            return answer_of(self._application, environ)
        except Exception:
            log.exception("the application broke")
            return Answer(BROKEN)

    async def _reach_thread(self, visit: _Visit) -> None:
        """Go on in a thread; one that says no, if the request is refused.

        Raises: Busy when even that one has too much to do.
        """
        try:
            await self._reach_pool(visit)
        except DomainError as refused:
            # Where it was raised leads by its callers to what refused it, and from
            # there back to it: a circle that the collector comes for late, and until
            # then granian would keep the connection open.
            refused.__traceback__ = refused.__context__ = None
            visit.environ[REFUSED] = refused
            self._drop_body(visit)
            await self._pools.refusals.turn()

    async def _reach_pool(self, visit: _Visit) -> None:
        """Go on in a thread of the right pool, with the whole body.

        Raises: DomainError.
        """
        path = visit.environ["PATH_INFO"]
        if path == LIVE:
            await self._pools.live.turn()
            return
        if path in PROBES:
            await self._pools.probes.turn()
            return
        share = self._known_share(visit.presented)
        if share is None and self._visitors and visit.presented is not None:
            await self._pools.checks.turn()
            share = self._visitors.find(visit.presented)
        # To be refused by the API for its key, a request needs no body.
        if share is not None or not addresses.is_api(path):
            await self._receive(visit, share)
        else:
            visit.environ["wsgi.input"] = _Unread()
        await (self._pools.anonymous if share is None else self._pools.known).turn()

    def _known_share(self, presented: Any) -> str | None:
        """Return whose share of what is bounded the request takes, if that is known."""
        if self._visitors is None:
            return EVERYBODY
        return None if presented is None else self._visitors.share_of(presented)

    async def _receive(self, visit: _Visit, share: str | None) -> None:
        environ = visit.environ
        if environ.pop("HTTP_TRANSFER_ENCODING", None) is not None:
            length = None
        elif (length := _length(environ)) == 0:
            return
        most = UNKNOWN_BYTES if share is None else self._largest
        visit.arrival = Arrival(
            visit.receive, length=length, most=most, share=share or ""
        )
        body = await self._bodies.receive(visit.arrival)
        environ["CONTENT_LENGTH"] = str(len(body))
        environ["wsgi.input"] = BytesIO(body)

    def _drop_body(self, visit: _Visit) -> None:
        """Let others have the room of what is refused: its turn may come late."""
        visit.environ["wsgi.input"] = BytesIO()
        if visit.arrival is not None:
            self._bodies.leave(visit.arrival)

    def _release(self, visit: _Visit) -> None:
        if LOST in visit.environ and self._visitors and visit.presented is not None:
            self._visitors.forget(visit.presented)
        if visit.arrival is not None:
            self._bodies.leave(visit.arrival)
        visit.environ.clear()

    def _watch(self) -> None:
        """Start the timeout threads; in a worker, because threads are not forked."""
        with self._starting:
            if self._is_watching:
                return
            self._is_watching = True
            Thread(target=self._sweep, name="slow-clients", daemon=True).start()
            connections.cut_stalled_readers()

    def _sweep(self) -> None:
        while True:
            sleep(SWEEP_SECONDS)
            try:
                self._bodies.sweep(monotonic())
                self._departures.sweep(monotonic())
            except Exception:
                # Nobody else would look after them from now on.
                log.exception("slow clients were not looked after")


def _length(environ: Environ) -> int:
    """Raises: InvalidRequest."""
    text = environ.get("CONTENT_LENGTH") or "0"
    if not (text.isascii() and text.isdecimal()):
        raise InvalidRequest("Content-Length is not a number.", param="Content-Length")
    return int(text)
