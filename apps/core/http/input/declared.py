"""What a route takes, read from what the OpenAPI document says of it.

`extend_schema` beside each view is the one list of its query parameters: the document
is made from it, and requests are checked against it.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from drf_spectacular.utils import OpenApiParameter

from apps.core.http.headers import IDEMPOTENCY_KEY

BODY_METHODS = frozenset({"POST", "PUT", "PATCH"})


@dataclass(frozen=True, slots=True)
class Declared:
    """One method of one view: its query parameters, and whether it takes a body.

    `is_repeatable`: an idempotency key is looked up before anything else is checked.
    """

    parameters: frozenset[str]
    takes_body: bool
    is_repeatable: bool


@cache
def declared(view: type[Any], method: str) -> Declared | None:
    """Return what a method takes; None for one that the view does not have."""
    handler = getattr(view, "get" if method == "HEAD" else method.lower(), None)
    described = getattr(handler, "kwargs", {}).get("schema")
    if described is None:
        return None
    schema = described()
    # It asks the view for its API version, of which there are none.
    schema.view = view(request=None, kwargs={})
    named: list[OpenApiParameter] = schema.get_override_parameters()
    places = {place: _in(named, place) for place in ("query", "header")}
    return Declared(
        parameters=places["query"],
        takes_body=method in BODY_METHODS
        and schema.get_request_serializer() is not None,
        is_repeatable=IDEMPOTENCY_KEY in places["header"],
    )


def _in(named: list[OpenApiParameter], place: str) -> frozenset[str]:
    return frozenset(one.name for one in named if one.location == place)
