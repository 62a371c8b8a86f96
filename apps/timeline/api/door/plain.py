"""Recognise plain requests: the usual method, path and headers, and nothing odd.

A plain request says what it wants in the one way that most callers use. Whatever is
refused, rare or broken is left to the ordinary view, so that no rule is written twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from time import perf_counter
from typing import Any

from django.conf import settings

from apps.accounts.api.authentication import secret_of
from apps.core import middleware
from apps.core.admission.gate import GATED_BYTES
from apps.core.http.bodies import JSONRenderer
from apps.core.http.headers import KEY, VERSION_TAG
from apps.core.processes.served import CAME_AT, REFUSED

Environ = dict[str, Any]

_PLAIN_ACCEPT = ("*/*", "", JSONRenderer.media_type)
_PLAIN_CONTENT = ("application/json", "application/json; charset=utf-8")
# With one of these it is no plain request, or if one of the others is not empty.
_ODD = ("HTTP_TRANSFER_ENCODING", "HTTP_CONTENT_ENCODING", REFUSED)
_EMPTY = ("SCRIPT_NAME", "QUERY_STRING")
_PREFER = "HTTP_PREFER"
# The one preference that is plain, in the form that most callers give it.
MINIMAL = "return=minimal"
# What says more about a write than its body.
_CONDITIONS = {"HTTP_IDEMPOTENCY_KEY": KEY, "HTTP_IF_MATCH": VERSION_TAG}


@dataclass(frozen=True, slots=True)
class PlainRequest:
    """A request that a case of the door may answer."""

    environ: Environ
    # What its address names, in the order of the case's `path`.
    names: tuple[str, ...]
    request_id: str
    started: float
    is_secure: bool
    body: bytes = b""

    def header(self, name: str) -> str:
        """Return a header by its name in the environment, empty without it."""
        value: str = self.environ.get(name, "")
        return value

    @property
    def is_minimal(self) -> bool:
        """Whether the answer is to leave out the state."""
        return self.header(_PREFER) == MINIMAL

    def secret(self) -> str | None:
        """Return the API key that it brings."""
        return secret_of(
            self.header("HTTP_X_API_KEY"), self.header("HTTP_AUTHORIZATION")
        )


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """What a case answers; the door adds the headers that every answer carries."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    allowance: Mapping[str, str]
    key_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PlainCase:
    """One row of the door's table: a method of an address, and who answers it.

    `answer` gives None for whatever is not plain about the request: then the ordinary
    view answers it, as if nobody had looked at it. It may do so only while nothing has
    been written.
    """

    method: str
    # Addresses that are plain, of ASCII alone; no two cases share one but by this.
    path: re.Pattern[str]
    # One of them, whose route is that of all.
    example: str
    view: Any
    takes_body: bool
    answer: Callable[[PlainRequest], PlainAnswer | None]
    # Whether it may be asked for a minimal answer.
    has_minimal: bool = False


def session_path(name: str) -> re.Pattern[str]:
    """Return the addresses of this part of a session."""
    session = "sess_[0-9a-hjkmnp-tv-z]{26}"
    return re.compile(f"/v1/sessions/({session})/{name}", re.ASCII)


# By the addresses, then by the method.
Table = Mapping[re.Pattern[str], Mapping[str, PlainCase]]


def table_of(cases: Iterable[PlainCase]) -> Table:
    """Return cases as they are looked for."""
    table: dict[re.Pattern[str], dict[str, PlainCase]] = {}
    for case in cases:
        table.setdefault(case.path, {})[case.method] = case
    return table


def plain_request(
    environ: Environ, table: Table
) -> tuple[PlainCase, PlainRequest] | None:
    """Return the case and the request, if there is one for it and nothing is odd."""
    found = _found(environ, table)
    if found is None or environ.get("HTTP_ACCEPT", "") not in _PLAIN_ACCEPT:
        return None
    case, names = found
    if any(name in environ for name in _ODD) or any(map(environ.get, _EMPTY)):
        return None
    if _PREFER in environ and not (case.has_minimal and environ[_PREFER] == MINIMAL):
        return None
    is_secure = _is_secure(environ)
    body = _body(environ) if case.takes_body else _no_body(environ)
    if is_secure is None or body is None:
        return None
    started = environ.get(CAME_AT) or perf_counter()
    # It stays with the request, whoever answers.
    request_id = middleware.request_id_of(environ.get("HTTP_X_REQUEST_ID", ""))
    environ["HTTP_X_REQUEST_ID"] = request_id
    return case, PlainRequest(environ, names, request_id, started, is_secure, body)


def _found(environ: Environ, table: Table) -> tuple[PlainCase, tuple[str, ...]] | None:
    for path, cases in table.items():
        found = path.fullmatch(environ["PATH_INFO"])
        if found is not None:
            case = cases.get(environ["REQUEST_METHOD"])
            return None if case is None else (case, found.groups())
    return None


def _no_body(environ: Environ) -> bytes | None:
    return None if environ.get("CONTENT_LENGTH") else b""


def _body(environ: Environ) -> bytes | None:
    """Return a small body of JSON that is here as a whole, not taking it away."""
    received = environ["wsgi.input"]
    if environ.get("CONTENT_TYPE") not in _PLAIN_CONTENT:
        return None
    if type(received) is not BytesIO or received.tell():
        return None
    body = received.getvalue()
    if environ.get("CONTENT_LENGTH") != str(len(body)) or len(body) > GATED_BYTES:
        return None
    if len(body) > settings.REQUEST_BYTES:
        return None
    for name, form in _CONDITIONS.items():
        value = environ.get(name)
        if value is not None and not form.fullmatch(value):
            return None
    return body


def _is_secure(environ: Environ) -> bool | None:
    """Say whether TLS ends before us; None where that takes Django to tell."""
    if environ["wsgi.url_scheme"] != "http":
        return None
    if settings.SECURE_PROXY_SSL_HEADER is None:
        return False
    name, secure = settings.SECURE_PROXY_SSL_HEADER
    return {None: False, secure: True}.get(environ.get(name))
