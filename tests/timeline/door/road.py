"""Ask the door and the ordinary application the same, and hold them to one answer."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.db import connection
from psycopg_pool import ConnectionPool

from apps.timeline.api.door import Door
from apps.timeline.api.door.plain import PlainCase

# They differ between any two answers.
CHANGING = ("X-RateLimit-Remaining", "X-RateLimit-Reset", "X-StateBase-Latency")


@dataclass(frozen=True)
class Told:
    """What a WSGI application answered."""

    status: str
    headers: dict[str, str]
    content: bytes

    @property
    def code(self) -> int:
        return int(self.status[:3])

    @property
    def lasting(self) -> tuple[Any, ...]:
        """All but what differs between any two answers, which must be there."""
        names = set(self.headers)
        kept = {name: self.headers[name] for name in names - set(CHANGING)}
        return self.status, names, kept, self.content


@dataclass
class Road:
    """The door in front of the ordinary application; `passed` are left to that."""

    ordinary: Any
    door: Any
    passed: list[str] = field(default_factory=list)

    def both(self, path: str, secret: str | None, **environ: Any) -> tuple[Told, Told]:
        """Ask the door, then the ordinary application."""
        made = request(path, secret, **environ)
        self.passed.clear()
        return ask(self.door, made), ask(self.ordinary, made)

    def equal(self, path: str, secret: str | None, **environ: Any) -> Told:
        """Assert that both tell the same, and that the door did tell it."""
        told, ordinary = self.both(path, secret, **environ)
        assert told.lasting == ordinary.lasting
        assert not self.passed
        return told

    def passes(self, path: str, secret: str | None, **environ: Any) -> Told:
        """Assert that the door left it to the ordinary application, once."""
        told, ordinary = self.both(path, secret, **environ)
        assert told.lasting == ordinary.lasting
        assert self.passed == [path]
        return told


@contextmanager
def connections_of_door() -> Iterator[ConnectionPool[Any]]:
    """Give a pool as a served process has one."""
    parameters = connection.get_connection_params() | {"autocommit": True}
    with ConnectionPool(kwargs=parameters, min_size=1, max_size=2, open=True) as pool:
        yield pool


def road_through(cases: Iterable[PlainCase]) -> Road:
    """Return the road through a door of these cases."""
    passed: list[str] = []
    ordinary = get_wsgi_application()

    def passing(environ: Any, start_response: Any) -> Any:
        passed.append(environ["PATH_INFO"])
        return ordinary(environ, start_response)

    return Road(ordinary, Door(passing, cases), passed)


def request(path: str, secret: str | None, **environ: Any) -> dict[str, Any]:
    made = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SCRIPT_NAME": "",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_X_REQUEST_ID": "trace-1",
        "wsgi.url_scheme": "http",
    }
    if secret is not None:
        made["HTTP_X_API_KEY"] = secret
    return made | environ


def ask(application: Any, environ: dict[str, Any]) -> Told:
    begun: list[Any] = []
    environ = environ | {"wsgi.input": io.BytesIO(environ.get("body", b""))}
    answer = application(environ, lambda *given: begun.extend(given[:2]))
    content = b"".join(answer)
    if hasattr(answer, "close"):
        answer.close()
    return Told(begun[0], dict(begun[1]), content)


def written(
    method: str, path: str, secret: str | None, body: bytes, **environ: Any
) -> dict[str, Any]:
    """Return a request with a body of JSON."""
    about = {
        "REQUEST_METHOD": method,
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "body": body,
    }
    return request(path, secret, **(about | environ))
