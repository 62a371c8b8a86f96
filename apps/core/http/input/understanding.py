"""How a view of the API treats input that it does not know: `unknown.py` finds it.

A request with an idempotency key may have been stored before, by a release that took
what is unknown now, or leniently. So its refusal waits for whoever looks the key up:
the ledger, a session's beginning, or `answered`.
"""

from collections.abc import Mapping, Sequence
from http import HTTPMethod
from typing import Any, ClassVar, Protocol, cast

from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.core.errors import DomainError, InvalidRequest, UnacceptableJson
from apps.core.handling import Handling
from apps.core.http.headers import preference
from apps.core.http.input.declared import declared
from apps.core.http.input.ignored import name_ignored, say_applied
from apps.core.http.input.unknown import (
    MOST,
    NOTHING,
    Unknown,
    refusal,
    unknown_fields,
    unknown_parameters,
)

METHODS = frozenset(HTTPMethod)
# What is told as unknown input where there is some: it was probably meant.
INVALID = (serializers.ValidationError, InvalidRequest, UnacceptableJson)


class HandlingCaller(Protocol):
    """What `request.auth` must tell; `apps.accounts` has the real one."""

    @property
    def handling(self) -> Handling: ...


class UnderstandingView(APIView):
    """Refuses unknown input, or has the answer name it where that is asked for."""

    # Query parameters that callers may know from elsewhere, and what to do instead.
    refused_parameters: ClassVar[Mapping[str, str]] = {}

    # Whether the request may have been answered before, under its idempotency key.
    is_repeatable = False
    # What is wrong with it if it was not.
    fault: DomainError | None = None
    ignored: tuple[str, ...] = ()
    are_all_named = True

    def refuse_unknown(self, request: Request, body: bytes) -> None:
        """Refuse parameters that are not taken, and fields where no body is.

        Raises: UnknownParameter, UnknownField; what is wrong with the JSON.
        """
        kind, method = cast(Any, type(self)), request.method or ""
        # A method that somebody made up is refused as such, and not remembered.
        takes = declared(kind, method) if method in METHODS else None
        if takes is None:
            return
        if takes.is_repeatable:
            self.is_repeatable = "HTTP_IDEMPOTENCY_KEY" in request.META
        if request.META.get("QUERY_STRING"):
            given, refused = request.query_params, self.refused_parameters
            self.refuse(unknown_parameters(takes.parameters, given, refused))
        if body and not takes.takes_body:
            self.refuse(unknown_fields(NOTHING, self.body_object()))

    def require_understood(self) -> None:
        """Refuse what is unknown, from here on at once: nothing is to be repeated.

        Raises: UnknownField, UnknownParameter.
        """
        self.is_repeatable = False
        if self.fault is not None:
            raise self.fault

    def name_ignored(self, *names: str) -> None:
        """Have the answer name what was sent and is not used."""
        self.ignored = tuple(dict.fromkeys((*self.ignored, *names)))

    def body_object(self) -> dict[str, Any]:
        """Return the body.

        Raises: UnacceptableJson for one that is no object.
        """
        data = self.request.data
        if not isinstance(data, dict):
            raise UnacceptableJson("The body must be a JSON object.", param="")
        return data

    def refuse(self, found: Sequence[Unknown]) -> None:
        """Refuse unknown input, or have the answer name it where that is asked for.

        With an idempotency key the refusal waits for whoever looks the key up: what was
        stored before is answered as it was. That answer names what it did not store.
        """
        if not found:
            return
        self.name_ignored(*(one.param for one in found[:MOST]))
        self.are_all_named &= len(found) <= MOST
        if self._handling is Handling.LENIENT:
            return
        self.refuse_unless_stored(refusal(found))

    def refuse_unless_stored(self, fault: DomainError) -> None:
        """Raise the fault, at once unless an idempotency key has to be looked up."""
        if not self.is_repeatable:
            raise fault
        self.fault = self.fault or fault

    @property
    def _asked_handling(self) -> Handling | None:
        asked = preference(self.request, "handling")
        return Handling(asked) if asked in set(Handling) else None

    @property
    def _handling(self) -> Handling:
        """Return what the request asks for, else what its project is set to."""
        asked = self._asked_handling
        if asked is not None:
            return asked
        caller = cast(HandlingCaller | None, self.request.auth)
        return Handling.STRICT if caller is None else caller.handling

    def handle_exception(self, exc: Exception) -> Response:
        """Answer an error; what is invalid beside unknown input is told as unknown.

        It was probably meant: `statee` is why `state` is missing.
        """
        if self.fault is not None and isinstance(exc, INVALID):
            exc = self.fault
        return super().handle_exception(exc)

    def say_how_it_was_read(self, response: HttpResponseBase) -> None:
        """Name what was ignored, and the preference that was met."""
        if self.ignored:
            name_ignored(response, self.ignored, are_all=self.are_all_named)
        if "HTTP_PREFER" in self.request.META and self._asked_handling is not None:
            say_applied(response, self._asked_handling)
