"""Turns whatever a view raised into the one error body.

Expected errors are not logged here (the request line has their status and code);
unexpected ones are, with frames and without values.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
import structlog
from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.db import Error as DatabaseError
from django.http import Http404, UnreadablePostError
from rest_framework import exceptions as drf
from rest_framework.response import Response
from rest_framework.views import set_rollback

from apps.core import errors
from apps.core.errors import DomainError
from apps.core.http.problems.database import database_problem
from apps.core.http.problems.problem import Problem

log = structlog.get_logger(__name__)

INTERNAL = Problem(
    code="internal_error",
    message="Something went wrong on our side; the request id finds it in the log.",
)

_BY_STATUS = {
    400: "invalid_request",
    403: "permission_denied",
    404: "resource_not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    415: "unsupported_media_type",
}


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """Answer any exception of a DRF view; DRF calls this by name."""
    set_rollback()
    request = context.get("request")
    problem = problem_of(error)
    _record(error, problem)
    _keep(error)
    if request is not None:
        request._request.error_code = problem.code
    return problem.response(getattr(request, "request_id", ""))


def _keep(error: Exception) -> None:
    """Store what is to be kept of a refusal; without it the answer is the same."""
    if not isinstance(error, DomainError) or error.to_keep is None:
        return
    try:
        error.to_keep()
    except (DomainError, DatabaseError, psycopg.Error) as lost:
        log.warning("a refusal was not kept", code=error.code, exc_info=lost)


def problem_of(error: Exception) -> Problem:
    """Return what to tell the caller about an exception."""
    if isinstance(error, DomainError):
        return Problem.of(error)
    if isinstance(error, drf.APIException):
        return _framework_problem(error)
    if isinstance(error, DatabaseError | psycopg.Error):
        return Problem.of(database_problem(error))
    return _django_problem(error)


def _django_problem(error: Exception) -> Problem:
    if isinstance(error, Http404):
        return Problem.of(errors.NotFound())
    if isinstance(error, PermissionDenied):
        return Problem.of(errors.PermissionDenied())
    if isinstance(error, RequestDataTooBig):
        return Problem.of(errors.PayloadTooLarge())
    if isinstance(error, UnreadablePostError):
        return Problem.of(errors.InvalidRequest("The body could not be read."))
    if isinstance(error, SuspiciousOperation | BadRequest):
        return Problem.of(errors.InvalidRequest())
    return INTERNAL


def _framework_problem(error: drf.APIException) -> Problem:
    if isinstance(error, drf.ValidationError):
        return _validation_problem(error)
    if isinstance(error.__cause__, DomainError):
        return Problem.of(error.__cause__)
    if isinstance(error, drf.NotAuthenticated | drf.AuthenticationFailed):
        return Problem(code="authentication_failed", message=str(error.detail))
    if isinstance(error, drf.ParseError):
        return Problem(code="malformed_json", message=str(error.detail))
    if isinstance(error, drf.UnsupportedMediaType):
        return Problem(
            code="unsupported_media_type",
            message="Send the body with Content-Type: application/json.",
            param="Content-Type",
        )
    code = _BY_STATUS.get(error.status_code)
    return Problem(code=code, message=str(error.detail)) if code else INTERNAL


def _validation_problem(error: drf.ValidationError) -> Problem:
    """Name the first field, say what is wrong with it; list all when there are more."""
    found = list(_flatten(error.detail, ""))
    param, message = found[0] if found else ("", str(error))
    details: dict[str, Any] = {}
    if len(found) > 1:
        details["errors"] = [{"param": p, "message": m} for p, m in found[:50]]
    return Problem(
        code="invalid_request",
        message=f"{param}: {message}" if param else message,
        param=param or None,
        details=details,
    )


def _flatten(detail: Any, path: str) -> list[tuple[str, str]]:
    """Return (path, message) pairs: `items[3].state` for a nested field."""
    if isinstance(detail, Mapping):
        pairs = [_flatten(value, _join(path, key)) for key, value in detail.items()]
    elif isinstance(detail, Sequence) and not isinstance(detail, str):
        pairs = [
            _flatten(value, f"{path}[{index}]" if isinstance(value, Mapping) else path)
            for index, value in enumerate(detail)
        ]
    else:
        return [(path, str(detail))]
    return [pair for some in pairs for pair in some]


def _join(path: str, key: str | int) -> str:
    if key == "non_field_errors":
        return path
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def _record(error: Exception, problem: Problem) -> None:
    if problem.code == "internal_error":
        log.error("unhandled error", exc_info=error)
    elif problem.status >= 500:
        log.warning("unavailable", code=problem.code, exc_info=error)
