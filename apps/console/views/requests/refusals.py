"""What was refused and what had been typed, for the page that a redirect leads to.

A conflict that is answered by the page itself breaks Reload, which sends the stale form
once more, and the address, which may take POST alone. So a conflict leads to a page to
be read, as success does; what is to be said there waits in the reader's session, under
a token in the address: whoever is sent the address sees the page and nothing of it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    QueryDict,
)

from apps.core.errors import DomainError
from apps.core.http.problems.problem import Problem
from apps.core.http.typed import PARAMETER, is_short, typed_fields, wait_for


class SeeOther(HttpResponseRedirect):
    """The answer to a POST: what to look at now."""

    status_code = 303


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """A refusal as its page tells it; `shown` is the head that its form had shown."""

    typed: dict[str, str]
    problem: Problem | None = None
    shown: int | None = None

    @property
    def unsent(self) -> dict[str, str]:
        """What was typed, by field, where the page has no words of its own for it."""
        if self.problem is None:
            return {}
        fields = self.typed.items()
        return {name: one for name, one in fields if one.strip() and name != "act"}


def redirect(
    request: HttpRequest,
    address: str,
    error: DomainError | None,
    *,
    shown: int | None = None,
    **query: Any,
) -> HttpResponse:
    """Lead to the page that says so; with `shown`, it finds words of its own.

    Without an error nothing was asked for yet: what was typed is all that is kept.
    """
    told: dict[str, Any] = {"typed": kept(request), "shown": shown}
    if error is not None:
        cast(Any, request).error_code = error.code
        if shown is None:
            told |= {"code": error.code, "message": error.message}
    asked = f"{address}?{urlencode(query, doseq=True)}" if query else address
    return SeeOther(wait_for(request, asked, told))


def of(request: HttpRequest) -> Refused | None:
    """Return the refusal that the address names, if it was this reader's."""
    token = request.GET.get(PARAMETER)
    told = request.session.get(PARAMETER, {}).get(token) if token else None
    if told is None:
        return None
    problem = None
    if "code" in told:
        problem = Problem(code=told["code"], message=told["message"])
    return Refused(typed=told["typed"], problem=problem, shown=told["shown"])


def typed(request: HttpRequest) -> dict[str, str]:
    """Return what was typed into the form of a POST, and into which."""
    match = request.resolver_match
    return {**typed_fields(request), "act": (match and match.url_name) or ""}


def kept(request: HttpRequest) -> dict[str, str]:
    """Return what was typed as far as a session has room for it."""
    fields = typed(request)
    return fields if is_short(fields) else {"act": fields["act"]}


def sent_to(request: HttpRequest, *, typed: Collection[str]) -> QueryDict:
    """Return what a page shown again goes by: without the fields that were refused.

    What was typed into those stands in them as it is, whatever is wrong with it.
    """
    if request.method != "POST":
        return request.GET
    if getattr(request, "refusal", None) is None:
        return request.POST
    sent = request.POST.copy()
    for name in typed:
        sent.pop(name, None)
    return sent


def tell(request: HttpRequest, problem: Problem | None, told: dict[str, str]) -> None:
    """Have the page of this request say it, and its fields hold what was typed."""
    cast(Any, request).refusal = problem
    cast(Any, request).typed = told
