"""The HTTP edge of every app: error table, bodies, headers, `ApiView`, fallbacks."""

from apps.core.admission.gate import Gate
from apps.core.http.bodies import (
    JSONRenderer,
    LengthRequired,
    StrictJSONParser,
    UnsupportedEncoding,
)
from apps.core.http.headers import (
    idempotency_key,
    if_match,
    prefers_minimal,
    request_digest,
)
from apps.core.http.problems.database import DatabaseFault, StorageFull
from apps.core.http.problems.exceptions import exception_handler, problem_of
from apps.core.http.problems.fallbacks import (
    handler400,
    handler403,
    handler404,
    handler500,
    is_api,
    json_response,
    wants_html,
)
from apps.core.http.problems.problem import ERRORS, Problem
from apps.core.http.views import ApiView

__all__ = [
    "ERRORS",
    "ApiView",
    "DatabaseFault",
    "Gate",
    "JSONRenderer",
    "LengthRequired",
    "Problem",
    "StorageFull",
    "StrictJSONParser",
    "UnsupportedEncoding",
    "exception_handler",
    "handler400",
    "handler403",
    "handler404",
    "handler500",
    "idempotency_key",
    "if_match",
    "is_api",
    "json_response",
    "prefers_minimal",
    "problem_of",
    "request_digest",
    "wants_html",
]
