"""`ApiView`, which every view of the API derives from.

It counts the request against its caller's minute, takes the body in and holds the
gate for a large one until the answer is rendered.
"""

from contextlib import ExitStack
from typing import Any, Protocol, cast

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.core.errors import InvalidRequest, NotFound
from apps.core.http.bodies import GATE, GATED_BYTES, receive_body
from apps.core.ratelimit import Allowance, RateLimiter

LIMITER = RateLimiter(workers=settings.WORKERS)


class LimitedCaller(Protocol):
    """What `request.auth` must tell; `apps.accounts` has the real one."""

    @property
    def key_id(self) -> str: ...

    @property
    def rate_limit(self) -> int | None: ...


def take_allowance(request: HttpRequest, caller: LimitedCaller | None) -> Allowance:
    """Count the request for its key, or for its address while nobody is known."""
    if caller is None:
        name = f"address:{request.META.get('REMOTE_ADDR', '')}"
        return LIMITER.take(name, settings.RATE_LIMIT_PER_MINUTE)
    limit = caller.rate_limit or settings.RATE_LIMIT_PER_MINUTE
    return LIMITER.take(f"key:{caller.key_id}", limit)


class ApiView(APIView):
    """A view of the API: limited, gated, its body at `request.body` and `.data`."""

    gate = GATE

    def dispatch(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """Answer, and render before what the request holds is let go."""
        self.allowance: Allowance | None = None
        with ExitStack() as self.held:
            response = super().dispatch(request, *args, **kwargs)
            if isinstance(response, Response):
                response.render()
                _untie(response)
            # A view answers once. Django has it refer to itself, and with it to its
            # request, by `head`.
            vars(self).clear()
            return response

    def perform_authentication(self, request: Request) -> None:
        """Authenticate, then count: who guesses keys is counted by address."""
        try:
            super().perform_authentication(request)
        except AuthenticationFailed:
            self._count(request, None)
            raise
        self._count(request, cast(LimitedCaller | None, request.auth))

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Take the body in once the caller is known and allowed."""
        super().initial(request, *args, **kwargs)
        _refuse_nul(request)
        if len(receive_body(request._request)) > GATED_BYTES:
            self.held.enter_context(self.gate.hold())

    def finalize_response(
        self, request: Any, response: Any, *args: Any, **kwargs: Any
    ) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if self.allowance is not None:
            stamp(response, self.allowance)
        return response

    def _count(self, request: Request, caller: LimitedCaller | None) -> None:
        self.allowance = take_allowance(request._request, caller)
        self.allowance.check()


def _untie(response: Response) -> None:
    """Let go of what the answer was made from.

    View, request and answer refer to each other in circles, which the collector comes
    for late: with states of 8 MB a worker held 500 MB that nobody used.
    """
    context: dict[str, Any] = vars(response).pop("renderer_context")
    context["request"].parser_context = {}
    response.data = None


def stamp(response: HttpResponseBase, allowance: Allowance) -> None:
    """Put what is left of the minute on an answer."""
    for name, value in allowance.headers.items():
        response[name] = value


def _refuse_nul(request: Request) -> None:
    """Refuse U+0000 outside bodies: PostgreSQL's text cannot hold it."""
    if "\0" in request.path:
        raise NotFound
    for name, values in request.query_params.lists():
        if any("\0" in text for text in (name, *values)):
            raise InvalidRequest("U+0000 is not accepted here.", param=name)
