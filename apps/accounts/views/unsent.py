"""What was sent by somebody whose session had ended, kept until they are back.

Nothing of it is done. The sign-in page has it, to be read and copied; who signs in
there is led to the page of its form, which has it in its fields and says so.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.urls import Resolver404, resolve

from apps.core.http.problems.fallbacks import wants_html
from apps.core.http.typed import is_short, typed_here, wait_for

FIELD = "unsent"
MESSAGE = "You were signed out when this was sent."
# As the JSON of what is short, with all escaped.
LONGEST_JSON = 100_000


def unsent_of(request: HttpRequest) -> dict[str, str]:
    """Return what was typed into a form that a person without a session sent."""
    if not wants_html(request):
        return {}
    fields = typed_here(request)
    match = request.resolver_match
    return {**fields, "act": (match and match.url_name) or ""} if fields else {}


def read_unsent(request: HttpRequest) -> dict[str, str]:
    """Return what the sign-in page carried; nothing of what cannot be meant."""
    said = request.POST.get(FIELD, "")
    if not said or len(said) > LONGEST_JSON:
        return {}
    try:
        fields = json.loads(said)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(fields, dict):
        return {}
    is_meant = all(isinstance(one, str) and "\0" not in one for one in fields.values())
    return fields if is_meant and is_short(fields) else {}


def carried(fields: dict[str, str]) -> dict[str, Any]:
    """Return what the sign-in page needs: to show it, and to send it on if short."""
    can_wait = bool(fields) and is_short(fields)
    return {"typed": fields, "unsent": json.dumps(fields) if can_wait else ""}


def led_back(request: HttpRequest, target: str, fields: dict[str, str]) -> str:
    """Return the page to go to, which says what was typed and not done."""
    if not fields:
        return target
    told = {"typed": fields, "shown": None, "code": "authentication_failed"}
    return wait_for(request, target, told | {"message": MESSAGE})


def page_of_form(request: HttpRequest) -> str:
    """Return the page that a form was sent from, as far as it can be looked at.

    An address that only acts is none: its project's first page is.
    """
    sent_from = urlsplit(request.headers.get("Referer", ""))
    if sent_from.path.startswith("/") and sent_from.netloc == request.get_host():
        found = _shown(sent_from.path)
        if found == sent_from.path and sent_from.query:
            return f"{found}?{sent_from.query}"
        if found:
            return found
    return _shown(request.path) or "/"


def _shown(path: str) -> str | None:
    try:
        match = resolve(path)
    except Resolver404:
        return None
    if not getattr(match.func, "only_acts", False):
        return path
    slug = match.kwargs.get("slug")
    return f"/console/{slug}" if slug else None
