"""What somebody typed into a form, for the page that says that nothing was done.

A page of the console that is refused is often shown again with all of it. Where it is
not, what was typed stands on the page that says so; and over a redirect, or signing in
anew, it waits in the session, under a token that the address names.
"""

from __future__ import annotations

import secrets
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, UnreadablePostError
from django.http.multipartparser import MultiPartParserError

CONSOLE = "/console/"
# What a page makes anew, and what only says by which page it was sent.
NOT_TYPED = frozenset({"csrfmiddlewaretoken", "key", "expected", "seen", "other_seen"})
PARAMETER = "refused"
# Of so many refusals; a note, the longest that is typed, has 10,000 characters.
KEPT = 5
LONGEST = 12_000


def typed_fields(request: HttpRequest) -> dict[str, str]:
    """Return what the form of a POST said, but for what its page had filled in."""
    return {
        name: value
        for name, value in request.POST.items()
        if name not in NOT_TYPED and isinstance(value, str)
    }


def typed_here(request: HttpRequest) -> dict[str, str]:
    """Return what was typed into a form of the console; nothing of other sites' forms.

    Passwords are typed elsewhere, and what cannot be read is nothing.
    """
    is_form = request.method == "POST" and request.path_info.startswith(CONSOLE)
    if not is_form or not _is_own(request):
        return {}
    try:
        fields = typed_fields(request)
    except (SuspiciousOperation, MultiPartParserError, UnreadablePostError):
        return {}
    return {name: value for name, value in fields.items() if value.strip()}


def is_short(fields: dict[str, str]) -> bool:
    """Say whether a session has room for what was typed."""
    return sum(map(len, fields.values())) <= LONGEST


def wait_for(request: HttpRequest, address: str, told: dict[str, Any]) -> str:
    """Leave what is to be told in the session; return the address that tells it."""
    token = secrets.token_urlsafe(9)
    known = request.session.get(PARAMETER, {})
    newest = list(known.items())[1 - KEPT :]
    request.session[PARAMETER] = {**dict(newest), token: told}
    joint = "&" if urlsplit(address).query else "?"
    return f"{address}{joint}{urlencode({PARAMETER: token})}"


def _is_own(request: HttpRequest) -> bool:
    """Say whether a page of this site sent the form, as its browser tells."""
    origin = f"{request.scheme}://{request.get_host()}"
    return request.headers.get("Origin") == origin
