"""What a page shows to whoever asks: all of it, or what the project's masks leave.

Who enters a project is looked at once. While a page is read, values are drawn where
they are handed out (`diffs.readers`), before anything compares or cuts them; what an
act does it does with what is stored, and its page is drawn again. Whatever the page
then says, patterns are looked for in all of it: in notes, names, reasons and links.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from http import HTTPStatus
from typing import Any, cast

from django.http import HttpRequest, HttpResponse

from apps.accounts import operations as accounts
from apps.accounts.access import sees_clear
from apps.accounts.errors import NotForMasked
from apps.accounts.masks import NO_MASKS
from apps.accounts.models import Membership
from apps.accounts.views.acting import acting
from apps.core.http.problems.exceptions import problem_of
from apps.core.http.problems.fallbacks import answer
from apps.diffs.readers import look_on, looking
from apps.timeline.masking import MaskedReader, reader_of

READING = ("GET", "HEAD")
TEXTS = ("text/", "application/json")


def look(request: HttpRequest, membership: Membership) -> None:
    """Note who is looking, and draw values for them while they only read."""
    asking = cast(Any, request)
    asking.reader = asking.clear = None
    if membership.project.masks != NO_MASKS:
        if sees_clear(membership):
            asking.clear = membership
        else:
            asking.reader = reader_of(membership.project)
    if request.method in READING:
        look_again(request)


def look_again(request: HttpRequest) -> None:
    """Draw values again for whoever acted: the page that they came from follows."""
    look_on(_reader_of(request))


@contextmanager
def seen(request: HttpRequest) -> Iterator[None]:
    """Forget with the answer who looked."""
    with looking(None):
        yield


def drawn(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return an answer without what patterns find in it.

    What is no text, and what is made as it is sent, when nobody is looking any more,
    is refused.
    """
    reader = _reader_of(request)
    if reader is None:
        _note(request, response)
        return response
    kind = response.headers.get("Content-Type", "")
    if response.streaming or (response.content and not kind.startswith(TEXTS)):
        response.close()
        return answer(request, problem_of(NotForMasked.of("a file")))
    for name in ("Location", "HX-Redirect"):
        if name in response.headers:
            response.headers[name] = reader.address(response.headers[name])
    if response.content:
        text = response.content.decode(response.charset or "utf-8")
        is_page = kind.startswith("text/html")
        response.content = (reader.page if is_page else reader.text)(text).encode()
    # What was drawn by today's masks is nobody's to keep.
    response.headers.setdefault("Cache-Control", "private, no-store")
    return response


def _note(request: HttpRequest, response: HttpResponse) -> None:
    """Record that somebody was shown what masks cover from others."""
    membership: Membership | None = getattr(request, "clear", None)
    if membership is None or response.status_code != HTTPStatus.OK:
        return
    asked = request.resolver_match.kwargs if request.resolver_match else {}
    accounts.note_unmasked(
        act=acting(request),
        project=membership.project,
        session_id=asked.get("session_id"),
    )


def is_masked(request: HttpRequest) -> bool:
    """Say whether masks cover something from whoever asks."""
    return _reader_of(request) is not None


def as_shown(request: HttpRequest) -> AbstractContextManager[None]:
    """Have an act look for something as whoever acts may see it."""
    return looking(_reader_of(request))


def require_clear(request: HttpRequest, what: str) -> None:
    """Refuse those who are not shown everything what cannot be masked.

    Raises: NotForMasked, naming it.
    """
    if _reader_of(request) is not None:
        raise NotForMasked.of(what)


def _reader_of(request: HttpRequest) -> MaskedReader | None:
    return cast("MaskedReader | None", getattr(request, "reader", None))
