"""Answers where no view of the API ran: unknown routes, refused and broken requests.

JSON for the API and for whoever does not ask for HTML; else a plain page whose
template needs neither the database nor a signed-in user.
"""

import sys
from collections.abc import Mapping
from typing import Any

from django.db import Error as DatabaseError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from apps.core import json
from apps.core.errors import Busy, InvalidRequest, PermissionDenied
from apps.core.http.problems.exceptions import INTERNAL, problem_of
from apps.core.http.problems.misspelt import not_found
from apps.core.http.problems.problem import Problem, at_top
from apps.core.http.typed import typed_here
from apps.core.processes import addresses

HEALTH = "/health"
FORGED = (
    "This form has lost its token, as after signing in anew or without cookies: "
    "nothing was done. Go back, load the page again, and send it once more."
)


def is_api(request: HttpRequest) -> bool:
    """Say whether the request is for the API or for a probe, not for a page."""
    path = request.path_info
    return addresses.is_api(path) or path == HEALTH or path.startswith(f"{HEALTH}/")


def wants_html(request: HttpRequest) -> bool:
    """Say whether a page is asked for; programs send `*/*`, and so does htmx."""
    is_named = "text/html" in request.headers.get("Accept", "")
    return is_named or "HX-Request" in request.headers


def json_response(
    value: Any, *, status: int = 200, headers: dict[str, str] | None = None
) -> HttpResponse:
    """Answer JSON from a plain Django view."""
    return HttpResponse(
        json.dumps(value),
        status=status,
        content_type="application/json",
        headers=headers,
    )


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    problem = problem_of(exception)
    if problem.status >= 500:
        problem = Problem.of(InvalidRequest())
    return answer(request, problem)


def handler403(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, Problem.of(PermissionDenied()))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form without its token; Django's own page breaks our content policy."""
    return answer(request, Problem.of(PermissionDenied(FORGED)))


def say_not_allowed(request: HttpRequest, refused: HttpResponse) -> None:
    """Write what an address takes, where Django writes nothing at all."""
    message = f"This address answers {refused.headers['Allow']} only. Nothing was done."
    told = answer(request, Problem(code="method_not_allowed", message=message))
    refused.content = told.content
    refused.headers["Content-Type"] = told.headers["Content-Type"]
    refused.headers["Content-Length"] = str(len(told.content))


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, Problem.of(not_found(request.path_info)))


def handler500(request: HttpRequest) -> HttpResponse:
    """Answer a crash; Django calls this while the exception is being handled."""
    error = sys.exception()
    if isinstance(error, DatabaseError | Busy):
        return answer(request, problem_of(error))
    return answer(request, INTERNAL)


def answer(
    request: HttpRequest, problem: Problem, more: Mapping[str, Any] | None = None
) -> HttpResponse:
    """Answer a problem in the form that the client reads; a page says `more`.

    Nothing that was typed is lost with a page that is gone: this one has it.
    """
    request_id = getattr(request, "request_id", "")
    request.error_code = problem.code  # type: ignore[attr-defined]
    if is_api(request) or not wants_html(request):
        body = problem.body(request_id)
        return json_response(
            at_top(body) if addresses.is_anchors(request.path_info) else body,
            status=problem.status,
            headers=problem.all_headers(),
        )
    page = 500 if problem.status >= 500 else problem.status
    said: dict[str, Any] = {"message": problem.message, "request_id": request_id}
    # Which role may is said of what a colleague may not.
    said |= {"required": str(problem.details.get("required", ""))}
    said |= {"typed": typed_here(request)}
    html = render_to_string([f"{page}.html", "400.html"], {**said, **(more or {})})
    return HttpResponse(html, status=problem.status, headers=problem.all_headers())
