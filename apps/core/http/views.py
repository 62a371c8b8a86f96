"""`ApiView`, which every view of the API derives from.

It counts the request against its caller's minute, checks the body and holds the gate
for a large one until the answer is rendered.
"""

from functools import cache
from typing import Any, Protocol, TypeVar, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import json
from apps.core.admission import gate
from apps.core.admission.gate import GATE
from apps.core.admission.rate_limit import Allowance, RateLimiter
from apps.core.errors import InvalidRequest, NotFound
from apps.core.http.bodies import JSONRenderer, receive_body
from apps.core.http.clients import client_network
from apps.core.http.input.understanding import UnderstandingView
from apps.core.http.input.unknown import contradiction, names_of, unknown_fields
from apps.core.processes.served import ALLOWANCE, FAILED

Input = TypeVar("Input", bound=serializers.Serializer[Any])
LIMITER = RateLimiter(workers=settings.WORKERS)


class LimitedCaller(Protocol):
    """What `request.auth` must tell; `apps.accounts` has the real one.

    `lane` is whose turns it takes at the gate: its project's.
    """

    @property
    def key_id(self) -> str: ...

    @property
    def rate_limit(self) -> int | None: ...

    @property
    def lane(self) -> str: ...


def take_allowance(request: HttpRequest, caller: LimitedCaller | None) -> Allowance:
    """Count the request for its key, or for its address while nobody is known."""
    if caller is None:
        name = f"address:{client_network(request)}"
        return LIMITER.take(name, settings.RATE_LIMIT_PER_MINUTE)
    return allowance_of(caller.key_id, caller.rate_limit)


def allowance_of(key_id: str, rate_limit: int | None) -> Allowance:
    """Count a request for its key; without a limit of its own that of all holds."""
    limit = rate_limit or settings.RATE_LIMIT_PER_MINUTE
    return LIMITER.take(f"key:{key_id}", limit)


@cache
def _shared(kinds: tuple[type[Any], ...]) -> list[Any]:
    """Return one instance of each, for every request: none of ours keeps anything."""
    return [kind() for kind in kinds]


class ApiView(UnderstandingView):
    """A view of the API: limited, gated, its body at `request.body` and `.data`.

    REST framework makes parsers, permissions, renderers and a template's answer anew
    for each request, and asks for the best media type where there is one: a third of
    the time that reading a head took. Here they are made once, and an answer is JSON.
    """

    gate = GATE
    # No renderer makes a file: what is refused is told in JSON, whatever is asked for.
    sends_files = False

    def dispatch(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """Answer, and render before what the request holds is let go."""
        self.allowance: Allowance | None = None
        with gate.visiting(self.gate):
            response = super().dispatch(request, *args, **kwargs)
            # A view answers once. It and its request refer to each other and to
            # themselves: circles that the collector comes for late. With states of
            # 8 MB a worker held 500 MB that nobody used.
            self.request.parser_context = {}
            vars(self).clear()
            return response

    def get_parsers(self) -> list[Any]:
        return _shared(tuple(self.parser_classes))

    def get_authenticators(self) -> list[Any]:
        return _shared(tuple(self.authentication_classes))

    def get_permissions(self) -> list[Any]:
        return _shared(tuple(self.permission_classes))

    def get_renderers(self) -> list[Any]:
        return _shared(tuple(self.renderer_classes))

    def perform_content_negotiation(
        self, request: Request, force: bool = False
    ) -> tuple[Any, str]:
        """Settle on JSON at once where it is asked for, or nothing in particular."""
        renderer = self.get_renderers()[0]
        wanted = request.META.get("HTTP_ACCEPT", "*/*")
        if self.sends_files or wanted in ("*/*", "", JSONRenderer.media_type):
            return renderer, renderer.media_type
        return cast(
            tuple[Any, str], super().perform_content_negotiation(request, force)
        )

    @property
    def default_response_headers(self) -> dict[str, str]:
        """Return what every answer of this view tells of it."""
        kind: Any = type(self)
        return {"Allow": allowed_methods(kind)}

    def perform_authentication(self, request: Request) -> None:
        """Authenticate, then count: who guesses keys is counted by address.

        Raises: what the door failed with, without asking the database again.
        """
        failed = request._request.META.pop(FAILED, None)
        if failed is not None:
            self.allowance = request._request.META.pop(ALLOWANCE, None)
            raise failed
        try:
            super().perform_authentication(request)
        except AuthenticationFailed:
            self._count(request, None)
            raise
        caller = cast(LimitedCaller | None, request.auth)
        self._count(request, caller)
        if caller is not None:
            gate.take_turns_as(caller.lane)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Take the body in once the caller is known and allowed."""
        super().initial(request, *args, **kwargs)
        _check_query(request)
        body = receive_body(request._request)
        gate.enter(len(body))
        self.refuse_unknown(request, body)

    def read(self, kind: type[Input]) -> Input:
        """Return the body as this kind of input.

        Raises: UnacceptableJson for a body that is no object; UnknownField; REST
        framework's ValidationError, answered as invalid_request naming the field.
        """
        data, names = self.body_object(), names_of(kind)
        self.refuse(unknown_fields(names, data))
        if (fault := contradiction(names, data)) is not None:
            self.refuse_unless_stored(fault)
        given = kind(data=data)
        given.is_valid(raise_exception=True)
        return given

    def finalize_response(
        self, request: Any, response: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Write the answer, with the headers that each carries."""
        allowance = {} if self.allowance is None else self.allowance.headers
        headers = self.headers | allowance
        if response.status_code < 400:
            self.say_how_it_was_read(response)
        if isinstance(response, Response):
            return _written(response, headers)
        for name, value in headers.items():
            response[name] = value
        return response

    def _count(self, request: Request, caller: LimitedCaller | None) -> None:
        taken = request._request.META.pop(ALLOWANCE, None)
        if taken is None or caller is None:
            taken = take_allowance(request._request, caller)
        self.allowance = cast(Allowance, taken)
        self.allowance.check()


@cache
def allowed_methods(kind: Any) -> str:
    """Return the methods of a view, as the header Allow names them."""
    return ", ".join(
        name.upper() for name in kind.http_method_names if hasattr(kind, name)
    )


def _written(response: Response, headers: dict[str, str]) -> HttpResponse:
    """Write an answer's data as JSON; without data there is no body and no type."""
    written = HttpResponse(
        b"" if response.data is None else json.splice(response.data),
        status=response.status_code,
        content_type=JSONRenderer.media_type,
        headers=headers,
    )
    if response.data is None:
        del written.headers["Content-Type"]
    for name, value in response.headers.items():
        if name != "Content-Type":
            written.headers[name] = value
    return written


def stamp(response: HttpResponseBase, allowance: Allowance) -> None:
    """Put what is left of the minute on an answer."""
    for name, value in allowance.headers.items():
        response[name] = value


def _check_query(request: Request) -> None:
    """Refuse U+0000, which PostgreSQL's text cannot hold, and what is given twice.

    Of two values one would be dropped in silence.
    """
    if "\0" in request.path:
        raise NotFound
    for name, values in request.query_params.lists():
        if any("\0" in text for text in (name, *values)):
            raise InvalidRequest("U+0000 is not accepted here.", param=name)
        if len(values) > 1:
            raise InvalidRequest(f"{name} takes one value, not several.", param=name)
