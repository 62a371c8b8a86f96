"""What surrounds every request: its id, its log line, its common headers.

API requests then go straight to their view: the session, CSRF, sign-in and htmx
middlewares have nothing to say about a request that carries a key. What the security
middlewares say is the same on every answer, so they are asked once.
"""

import logging
import re
from collections.abc import Callable
from http import HTTPMethod
from io import BytesIO
from time import perf_counter
from typing import Any

import structlog
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.exception import convert_exception_to_response
from django.core.handlers.wsgi import WSGIRequest
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.middleware.security import SecurityMiddleware
from django.utils import timezone

from apps.core.admission.gate import GATE, visiting
from apps.core.http.problems.fallbacks import (
    answer,
    handler404,
    is_api,
    say_not_allowed,
)
from apps.core.http.problems.problem import Problem
from apps.core.http.views import stamp, take_allowance
from apps.core.ids import new_id
from apps.core.monitoring.exposition import Observe, observer
from apps.core.monitoring.log import write_request
from apps.core.processes import addresses
from apps.core.processes.served import CAME_AT, LOST, REFUSED

GetResponse = Callable[[HttpRequest], HttpResponseBase]
NO_CONTENT = (204, 304)
PROBES = ("health", "health/ready", "health/live")
METHODS = frozenset(HTTPMethod)
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


class RequestLogMiddleware:
    """Gives the request its id, times it, and writes its one line.

    The line has the route's pattern, never the path, the query or a body: those are
    the callers' data.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self.observe = observer()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = request.META.get(CAME_AT) or perf_counter()
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = request.request_id = request_id_of(given)  # type: ignore[attr-defined]
        structlog.contextvars.bind_contextvars(request_id=request_id)
        try:
            # Pages show large states as well.
            with visiting(GATE):
                response = self.get_response(request)
            if isinstance(response, HttpResponseNotAllowed) and not response.content:
                say_not_allowed(request, response)
            milliseconds = (perf_counter() - started) * 1000
            _complete(request, response, milliseconds)
            _write_line(request, response, milliseconds)
            if self.observe is not None:
                _count(self.observe, request, response, milliseconds)
            _say_what_is_lost(request, response)
        finally:
            structlog.contextvars.unbind_contextvars("request_id")
        return response


class ApiBypassMiddleware:
    """Calls the view of an API request itself; pages go on through the chain.

    A page at an address with U+0000 is none, whatever its view would ask for.
    What the server's front refused is answered here: no view sees it.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self.api = ApiHandler()
        self.headers = {
            is_secure: security_headers(is_secure=is_secure)
            for is_secure in (False, True)
        }

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        refused = request.META.get(REFUSED)
        if refused is not None:
            response: HttpResponseBase = answer(request, Problem.of(refused))
        elif is_api(request):
            response = self.api(request)
        elif "\0" in request.path_info:
            # No name holds it, and PostgreSQL's text cannot be asked for it.
            response = handler404(request, Http404())
        else:
            return self.get_response(request)
        for name, value in self.headers[request.is_secure()].items():
            response.headers.setdefault(name, value)
        return response


def security_headers(*, is_secure: bool) -> dict[str, str]:
    """Return what Django's and the CSP middleware put on any answer of ours."""
    environ = {"REQUEST_METHOD": "GET", "wsgi.input": BytesIO()}
    request = WSGIRequest(environ | {"wsgi.url_scheme": "https" if is_secure else ""})
    if settings.SECURE_PROXY_SSL_HEADER and is_secure:
        name, value = settings.SECURE_PROXY_SSL_HEADER
        request.META[name] = value
    bare = HttpResponse()
    del bare.headers["Content-Type"]
    for asked in (CSPMiddleware, SecurityMiddleware):
        asked(lambda _: bare).process_response(request, bare)
    return dict(bare.items())


class ApiHandler(BaseHandler):
    """Django's own core without any middleware around it.

    It resolves the route and calls the view, which is all that an API request needs;
    the outer handler still sends the signals.
    """

    def __init__(self) -> None:
        # What `load_middleware` would have filled from the settings.
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
        self._answer: Any = convert_exception_to_response(self._route)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = self._answer(request)
        return response

    def _route(self, request: HttpRequest) -> HttpResponseBase:
        try:
            response: HttpResponseBase = self._get_response(request)  # type: ignore[attr-defined]
        except Http404 as error:  # Django's own answer under DEBUG is a page
            return handler404(request, error)
        return response


def request_id_of(given: str) -> str:
    """Return the id that the caller gave, if it is one, else a new one."""
    if _REQUEST_ID.fullmatch(given):
        return given
    return new_id("req", now=timezone.now())


def _complete(
    request: HttpRequest, response: HttpResponseBase, milliseconds: float
) -> None:
    """Set the headers that every answer carries."""
    response["X-Request-Id"] = request.request_id  # type: ignore[attr-defined]
    response.headers.setdefault("Cache-Control", "no-store")
    if isinstance(response, HttpResponse) and response.status_code not in NO_CONTENT:
        response.headers.setdefault("Content-Length", str(len(response.content)))
    if not addresses.is_api(request.path_info):
        return
    response["X-StateBase-Latency"] = str(round(milliseconds))
    if not response.has_header("X-RateLimit-Limit"):
        stamp(response, take_allowance(request, None))


def _count(
    observe: Observe,
    request: HttpRequest,
    response: HttpResponseBase,
    milliseconds: float,
) -> None:
    match = request.resolver_match
    observe(
        method=request.method or "" if request.method in METHODS else "-",
        route=match.route if match else "-",
        status=response.status_code,
        seconds=milliseconds / 1000,
    )


def _say_what_is_lost(request: HttpRequest, response: HttpResponseBase) -> None:
    """Tell the server's front that the key or the session does not hold.

    Also where nobody looked at it, as for an address that is none: the front looks
    itself the next time. What it refused itself says nothing.
    """
    user = getattr(request, "_cached_user", None)
    is_nobody = user is not None and user.pk is None
    was_unseen = user is None and getattr(request, "auth", None) is None
    is_left_open = response.status_code >= 400 and REFUSED not in request.META
    if is_nobody or (was_unseen and is_left_open):
        request.META[LOST] = True


def _write_line(
    request: HttpRequest, response: HttpResponseBase, milliseconds: float
) -> None:
    # The line replaces Django's own, which repeats the raw path.
    response._has_been_logged = True  # type: ignore[attr-defined]
    match = request.resolver_match
    caller = getattr(request, "auth", None)
    user = getattr(request, "_cached_user", None)
    facts = {
        # A made-up method is a caller's text.
        "method": request.method if request.method in METHODS else "-",
        "route": match.route if match else "-",
        "status": response.status_code,
        "duration_ms": round(milliseconds, 2),
        "bytes": int(response.headers.get("Content-Length") or 0),
        "received": request.META.get("CONTENT_LENGTH") or None,
        "key": getattr(caller, "key_id", None),
        "user": getattr(user, "pk", None),
        "code": getattr(request, "error_code", None),
    }
    # Probes that go well come every few seconds and say nothing.
    is_probe = facts["route"] in PROBES and response.status_code == 200
    level = logging.DEBUG if is_probe else logging.INFO
    write_request(
        {name: fact for name, fact in facts.items() if fact is not None},
        request_id=request.request_id,  # type: ignore[attr-defined]
        level=level,
    )
